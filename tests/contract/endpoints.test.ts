import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { fillPath } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { scopes } from '#contract/scope.ts';

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describe('every endpoint', () => {
  it.each(endpoints.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    '%s says who may use it',
    (_, endpoint) => {
      expect([...scopes, 'any-read', 'any', 'none']).toContain(endpoint.scope);
    },
  );

  it('stands once', () => {
    const names = endpoints.map(nameOf);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('declares exactly the parameters of its path', () => {
    for (const { path, params } of endpoints) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(Object.keys(params?.shape ?? {})).toEqual(inPath);
    }
  });

  it('rejects unknown fields', () => {
    for (const { body, query } of endpoints)
      for (const schema of [body, query])
        if (schema instanceof z.ZodObject)
          expect(schema.safeParse({ surprise: 1 }).error?.issues.map(({ code }) => code)).toContain(
            'unrecognized_keys',
          );
  });

  it('needs no token only where the contract says so', () => {
    expect(endpoints.filter(({ scope }) => scope === 'none').map(nameOf)).toEqual([
      'GET /v1/health',
      'GET /v1/openapi.json',
      'GET /v1/health/live',
      'GET /v1/health/ready',
      'POST /v1/sessions',
      'GET /ping',
      'GET /health',
    ]);
  });
});

describe('a path', () => {
  it('is filled in with its parameters, percent-encoded', () => {
    expect(fillPath('/v1/devices/{id}', { id: 'a/b ?' })).toBe('/v1/devices/a%2Fb%20%3F');
  });

  it('throws if a parameter is missing', () => {
    expect(() => fillPath('/v1/devices/{id}', {})).toThrow('{id}');
  });
});
