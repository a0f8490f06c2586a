/** Text that grows with its `@container`, so that a wall screen reads at five metres. */
export const wallTextClass = 'text-[clamp(0.875rem,2.2cqi,1.5rem)] leading-normal';
