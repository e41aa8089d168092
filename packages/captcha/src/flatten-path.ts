// Flattens a path of M, L and C commands into strokes (polylines). The points are so close that a stroke can be bent point by
// point and still looks smooth.

export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Stroke = readonly Point[];

const lineStep = 2;
const curveSteps = 8;

export function flattenPath(path: string): Stroke[] {
  const strokes: Point[][] = [];
  let stroke: Point[] = [];
  for (const command of path.match(/[MLC][^MLC]*/g) ?? []) {
    const points = parsePoints(command.slice(1));
    if (command.startsWith('M')) {
      stroke = points;
      strokes.push(stroke);
    } else if (command.startsWith('L')) {
      stroke.push(...linePoints(lastOf(stroke), lastOf(points)));
    } else {
      stroke.push(...curvePoints([lastOf(stroke), ...points]));
    }
  }
  return strokes;
}

function parsePoints(text: string): Point[] {
  const numbers = text.trim().split(/\s+/).map(Number);
  const points: Point[] = [];
  for (let i = 0; i < numbers.length; i += 2) {
    const [x, y] = numbers.slice(i, i + 2);
    if (x === undefined || y === undefined) throw new RangeError('A path has an odd number of coordinates.');
    points.push({ x, y });
  }
  return points;
}

function lastOf(points: Stroke): Point {
  const point = points.at(-1);
  if (point === undefined) throw new RangeError('A path draws before it moves.');
  return point;
}

function linePoints(from: Point, to: Point): Point[] {
  const steps = Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / lineStep));
  return Array.from({ length: steps }, (_, i) => between(from, to, (i + 1) / steps));
}

function curvePoints(control: readonly Point[]): Point[] {
  return Array.from({ length: curveSteps }, (_, i) => pointOnCurve(control, (i + 1) / curveSteps));
}

/** De Casteljau's algorithm: interpolate between neighbouring control points until one point is left. */
function pointOnCurve(control: readonly Point[], share: number): Point {
  if (control.length === 1) return lastOf(control);
  return pointOnCurve(
    control.slice(1).map((point, i) => between(control[i] ?? point, point, share)),
    share,
  );
}

function between(from: Point, to: Point, share: number): Point {
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}
