import './styles.css';
import 'react-dom/client';

/** The default of browsers, which public/before-paint.js sets to 0. */
const STACK_LINES = 10;

const nextTask = () => new Promise((resolve) => setTimeout(resolve));

/**
 * Evaluates the libraries, the other code and the first page in tasks of their own: in one, they would block a slow computer for too long.
 */
const load = async () => {
  await nextTask();
  const { start } = await import('./start.tsx');
  Error.stackTraceLimit = STACK_LINES;
  await nextTask();
  await start();
};

void load();
