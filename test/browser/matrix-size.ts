// The matrix at full size, in the browser: how soon it is there, and whether it stays smooth. Other programs on the
// machine make single rounds slow: the best of three counts.
import assert from 'node:assert/strict';
import { matrixSize } from './fill-matrix.ts';
import { watchTasks } from './long-tasks.ts';
import { enterAs } from './sign-in.ts';
import type { World } from './world.ts';

const rounds = 3;
const most = { openMilliseconds: 1000, taskMilliseconds: 50 };

interface Round {
  /** From the click on the link to the frame that shows cells. */
  readonly openedAfter: number;
  /** The longest task while scrolling. */
  readonly longestTask: number;
}

export async function measureMatrix(world: World): Promise<number> {
  const seen: Round[] = [];
  while (seen.length < rounds && !seen.some(isGood)) seen.push(await measureRound(world));
  const openedAfter = Math.min(...seen.map((round) => round.openedAfter));
  const longestTask = Math.min(...seen.map((round) => round.longestTask));
  assert.ok(openedAfter < most.openMilliseconds, `the first cells after ${openedAfter.toFixed(0)} ms`);
  assert.ok(longestTask <= most.taskMilliseconds, `a task of ${longestTask.toFixed(0)} ms while scrolling`);
  return 2;
}

function isGood({ openedAfter, longestTask }: Round): boolean {
  return openedAfter < most.openMilliseconds && longestTask <= most.taskMilliseconds;
}

async function measureRound(world: World): Promise<Round> {
  const visitor = await enterAs(world, 'ada');
  const { page } = visitor;
  await page.evaluate(watchOpening);
  let openedAfter = Number.NaN;
  const opening = await watchTasks(world.browser, page, async () => {
    await page.getByRole('link', { name: 'Access matrix' }).click();
    openedAfter = await page.evaluate<number>('firstCells');
  });
  await visitor.settle();
  const grid = page.getByRole('grid');
  assert.ok(Number(await grid.getAttribute('aria-rowcount')) > matrixSize.endpoints, 'rows');
  assert.equal(Number(await grid.getAttribute('aria-colcount')), matrixSize.roles + 1, 'columns');
  let scrolled = { frames: 0, cells: 0 };
  const scrolling = await watchTasks(world.browser, page, async () => {
    scrolled = await page.evaluate<typeof scrolled>(scrollThrough);
  });
  await visitor.close();
  assert.ok(scrolled.cells > 10_000, `only ${scrolled.cells} cells were drawn while scrolling`);
  console.log(
    `       first cells after ${openedAfter.toFixed(0)} ms, of which the page worked ${opening.milliseconds.toFixed(0)} ms; ` +
      `${scrolled.frames} frames of scrolling over ${scrolled.cells} cells, ` +
      `${(scrolling.milliseconds / scrolled.frames).toFixed(1)} ms of work each, longest task ${scrolling.longest.toFixed(0)} ms`,
  );
  return { openedAfter, longestTask: scrolling.longest };
}

/** The frame after the one that found cells begins when that one is on the screen. */
const watchOpening = `globalThis.firstCells = new Promise((resolve) =>
  addEventListener('click', ({ timeStamp }) => {
    const look = () => document.querySelector('[role="gridcell"]') === null
      ? requestAnimationFrame(look)
      : requestAnimationFrame(() => resolve(performance.now() - timeStamp));
    look();
  }, { once: true, capture: true })); undefined`;

/** Down through all rows, then along all columns, then both at once, half a screen or less a frame; then in leaps of about a screen. */
const scrollThrough = `(async () => {
  const grid = document.querySelector('[role="grid"]');
  const cells = new Set();
  let frames = 0;
  const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
  async function scroll(down, right, most) {
    for (let left = most; left > 0; left -= 1) {
      const before = grid.scrollTop + ':' + grid.scrollLeft;
      grid.scrollBy(right, down);
      if (before === grid.scrollTop + ':' + grid.scrollLeft) return;
      await nextFrame();
      frames += 1;
      if (frames % 10 > 0) continue;
      for (const cell of grid.querySelectorAll('[role="gridcell"]')) cells.add(cell.ariaLabel);
    }
  }
  await scroll(180, 0, 500);
  await scroll(0, 90, 200);
  await scroll(-120, -30, 300);
  await scroll(700, 0, 100);
  await scroll(0, -700, 100);
  await scroll(-700, 700, 100);
  return { frames, cells: cells.size };
})()`;
