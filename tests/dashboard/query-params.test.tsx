import { render, screen, waitFor } from '@testing-library/react';
import { createBrowserRouter, RouterProvider, useLocation } from 'react-router-dom';
import { expect, test } from 'vitest';
import { useQueryParams } from '#dashboard/ui/browser/query-params.ts';
import { SearchInput } from '#dashboard/ui/controls/search-input.tsx';
import { inputText } from './input-text.ts';

const Search = () => {
  const [params, setParams] = useQueryParams();
  const search = (q: string) => setParams(() => new URLSearchParams({ q }), { isTyped: true });
  return <SearchInput label="Search" value={params.get('q') ?? ''} onChange={search} />;
};

const Part = ({ onRender }: { onRender: (search: string) => void }) => {
  onRender(useLocation().search);
  return null;
};

/** Takes longer than a time slice of React (5 ms), so that events interrupt the render. */
const work = () => {
  for (const end = performance.now() + 10; performance.now() < end;);
};

test('a character that is typed while the page renders a new URL is kept', async () => {
  let isInterrupted = false;
  const field = () => screen.getByRole<HTMLInputElement>('searchbox');
  const onRender = (search: string) => {
    work();
    if (search !== '?q=pum' || isInterrupted) return;
    isInterrupted = true;
    setTimeout(() => inputText(field(), 'pump'));
  };
  const page = (
    <>
      <Search />
      {Array.from({ length: 8 }, (_, index) => (
        <Part key={index} onRender={onRender} />
      ))}
    </>
  );
  render(<RouterProvider router={createBrowserRouter([{ path: '*', element: page }])} />);
  await waitFor(() => expect(field()).toBeTruthy());
  inputText(field(), 'pum');
  await waitFor(() => expect(isInterrupted).toBe(true));
  await waitFor(() => expect(window.location.search).toBe('?q=pump'));
  expect(field().value).toBe('pump');
});
