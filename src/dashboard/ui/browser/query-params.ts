import { createContext, use, useEffect, useEffectEvent, useReducer } from 'react';
import {
  useLocation,
  useNavigation,
  useSearchParams,
  type NavigateOptions,
  type RouterProviderProps,
} from 'react-router-dom';

/** The router, whose state is newer than the rendered one while a navigation renders. */
export const RouterContext = createContext<
  Pick<RouterProviderProps['router'], 'state' | 'basename'> | undefined
>(undefined);

export type ChangeOptions = NavigateOptions & {
  /** The user is typing: the page follows each character, the URL when typing pauses. It is replaced. */
  isTyped?: boolean;
};

type ChangeParams = (change: (old: URLSearchParams) => URLSearchParams, options?: ChangeOptions) => void;

/** The URL follows typed text after a pause: replacing it costs as much as rendering the page. */
const PAUSE_MS = 300;

type TypedQuery = {
  /** The query of the URL in the last render. */
  known: string;
  /** Null: nothing is being typed. */
  typed: string | null;
  /** Queries that the URL was changed to and does not contain yet. A late one must not undo newer typing. */
  sent: readonly string[];
};

type TypedAction = { type: 'typed' | 'sent' | 'arrived'; query: string };

const reduceTyped = (state: TypedQuery, { type, query }: TypedAction): TypedQuery => {
  if (type === 'typed') return { ...state, typed: query };
  if (type === 'sent') return { ...state, sent: [...state.sent, query] };
  const arrived = state.sent.lastIndexOf(query);
  const isOver = arrived === -1 || state.typed === query;
  return { known: query, typed: isOver ? null : state.typed, sent: state.sent.slice(arrived + 1) };
};

/**
 * Typed text that the URL does not contain yet. It ends when another change of the URL arrives: Back, or a link.
 * @param current the query of the URL
 */
const useTypedQuery = (current: string, replaceUrl: (query: string) => void) => {
  'use no memo';
  // Not `useState`: React may compute its update early, from the state of a render that it discards because of a typed character.
  const [state, dispatch] = useReducer(reduceTyped, { known: current, typed: null, sent: [] });
  const { known, typed, sent } = state;
  if (current !== known) dispatch({ type: 'arrived', query: current });
  const recordTyped = (query: string) => dispatch({ type: 'typed', query });
  const recordSent = (query: string) => dispatch({ type: 'sent', query });

  const send = useEffectEvent(() => {
    if (typed === null || typed === sent.at(-1)) return;
    // Back, whose render is still to come.
    const shown = new URLSearchParams(window.location.search).toString();
    if (shown !== known && shown !== sent.at(-1)) return;
    recordSent(typed);
    // A link that is followed at once cancels the router's own change.
    window.history.replaceState(
      window.history.state,
      '',
      typed === '' ? window.location.pathname : `?${typed}`,
    );
    replaceUrl(typed);
  });
  useEffect(() => {
    if (typed === null) return undefined;
    const timer = setTimeout(() => send(), PAUSE_MS);
    // Before a link is followed or the focus moves: Back must lead to this text.
    const onAct = () => send();
    const events = ['click', 'focusout'] as const;
    for (const event of events) document.addEventListener(event, onAct, { capture: true });
    return () => {
      clearTimeout(timer);
      for (const event of events) document.removeEventListener(event, onAct, { capture: true });
    };
  }, [typed]);
  return { typed, recordTyped, recordSent };
};

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

/**
 * The query of the URL, of the navigation that is under way, or with what is being typed: a filter shows as soon as it
 * is clicked. A change builds on the one before, rendered or not, unless text is being typed.
 */
export const useQueryParams = (): [URLSearchParams, ChangeParams] => {
  'use no memo';
  const [params, setParams] = useSearchParams();
  const { pathname, state } = useLocation();
  const { location: next } = useNavigation();
  const router = use(RouterContext);
  const { typed, recordTyped, recordSent } = useTypedQuery(params.toString(), (query) =>
    setParams(query, { replace: true, preventScrollReset: true, state }),
  );
  const latest =
    typed !== null
      ? new URLSearchParams(typed)
      : next?.pathname === pathname
        ? new URLSearchParams(next.search)
        : params;
  const readLatest = (): URLSearchParams => {
    const { navigation, location } = router?.state ?? {};
    const { search, pathname: path = '' } = navigation?.location ?? location ?? {};
    const isHere = withoutSlash(path) === `${withoutSlash(router?.basename ?? '')}${withoutSlash(pathname)}`;
    return typed === null && isHere ? new URLSearchParams(search) : latest;
  };
  return [
    latest,
    (change, { isTyped = false, ...options } = {}) => {
      const changed = change(readLatest());
      if (isTyped || typed !== null) recordTyped(changed.toString());
      if (isTyped) return;
      if (typed !== null) recordSent(changed.toString());
      setParams(changed, { state, ...options });
    },
  ];
};
