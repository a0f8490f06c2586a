/** The logo: a gate in a pipe. */
export const Logo = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 32 32" aria-hidden className={className}>
    <rect width="32" height="32" rx="7" className="fill-accent-fill" />
    <g fill="none" stroke="#fff" strokeWidth="2.5" strokeLinecap="round">
      <path d="M4 14h8M20 14h8M4 25h24" />
      <path d="M11 5.5h10M16 5.5V14" />
    </g>
    <rect x="13" y="11" width="6" height="9.5" rx="1" fill="#fff" />
  </svg>
);
