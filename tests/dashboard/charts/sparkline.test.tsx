import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Sparkline } from '#dashboard/charts/sparkline.tsx';

const paths = () =>
  [...screen.getByRole('img').querySelectorAll('path')].map((path) => path.getAttribute('d') ?? '');

describe('a sparkline', () => {
  it('draws its line within its box, open at a gap', () => {
    render(
      <Sparkline
        label="Load"
        columns={{ ts: [0, 1, 2, 3, 20, 21], value: [1, 5, 3, 4, 2, 2] }}
        width={100}
        height={20}
      />,
    );
    const [line = ''] = paths();
    expect(line.match(/M/gu)).toHaveLength(2);
    for (const [, x, y] of line.matchAll(/[ML]([\d.]+) ([\d.]+)/gu)) {
      expect(Number(x)).toBeGreaterThanOrEqual(0);
      expect(Number(x)).toBeLessThanOrEqual(100);
      expect(Number(y)).toBeGreaterThanOrEqual(0);
      expect(Number(y)).toBeLessThanOrEqual(20);
    }
    expect(screen.getByRole('img', { name: 'Load' })).toBeDefined();
  });

  it('draws a single point, a constant and nothing', () => {
    const { rerender } = render(<Sparkline label="One" columns={{ ts: [5], value: [1] }} />);
    expect(paths()[1]).toMatch(/^M[\d.]+ [\d.]+h0$/u);
    rerender(<Sparkline label="Flat" columns={{ ts: [0, 1, 2], value: [4, 4, 4] }} height={24} />);
    expect(paths()[0]).toContain(' 12');
    rerender(<Sparkline label="None" columns={{ ts: [], value: [] }} />);
    expect(paths()).toEqual(['', '']);
  });

  it('does not import recharts', () => {
    const dashboard = join(import.meta.dirname, '../../../src/dashboard');
    const seen = new Set<string>();
    const visit = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      const code = readFileSync(join(dashboard, file), 'utf8');
      for (const [, from = ''] of code.matchAll(/^import (?!type)[^;]*?from '([^']+)'/gmu)) {
        expect(from).not.toBe('recharts');
        if (from.startsWith('.')) visit(join(dirname(file), from));
      }
    };
    visit('charts/sparkline.tsx');
    expect(seen.size).toBeGreaterThan(3);
  });
});
