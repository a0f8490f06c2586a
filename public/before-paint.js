// Runs before anything is painted or parsed. A file of its own because the content security policy allows no inline script.
(() => {
  // zod must not try `new Function`: the policy forbids it, and each try would be reported. Read when schemas are built.
  globalThis.__zod_globalConfig = { ...globalThis.__zod_globalConfig, jitless: true };

  // React creates errors for later use when its module is evaluated. For their stacks, the browser would parse the whole file again:
  // a seventh of the time of the evaluation. main.ts sets the limit again.
  Error.stackTraceLimit = 0;

  let choice = 'system';
  try {
    choice = localStorage.getItem('penstock.theme') ?? 'system';
  } catch {
    // Storage is blocked: the system's theme serves.
  }
  const isDark =
    choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();
