// Warps the plane: a sum of slow sine waves with random phase, one pair along each axis. Neighbouring points stay close, so a
// symbol stays readable, and no two pictures have the same outline of it.

import type { Point } from './flatten-path.ts';

export type Warp = (point: Point) => Point;

export function createWarp(random: () => number): Warp {
  const shiftX = createWaves(random, 2.6);
  const shiftY = createWaves(random, 3.4);
  return (point) => ({ x: point.x + shiftX(point), y: point.y + shiftY(point) });
}

function createWaves(random: () => number, amplitude: number): (point: Point) => number {
  const slow = createWave(random, amplitude, 70, 110);
  const fast = createWave(random, amplitude * 0.35, 28, 45);
  return (point) => slow(point) + fast(point);
}

function createWave(random: () => number, amplitude: number, shortest: number, longest: number) {
  const wavelength = shortest + (longest - shortest) * random();
  const direction = 2 * Math.PI * random();
  const phase = 2 * Math.PI * random();
  const stepX = (2 * Math.PI * Math.cos(direction)) / wavelength;
  const stepY = (2 * Math.PI * Math.sin(direction)) / wavelength;
  return (point: Point): number => amplitude * Math.sin(point.x * stepX + point.y * stepY + phase);
}
