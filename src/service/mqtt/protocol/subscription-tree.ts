import type { Subscription } from './subscription.ts';

type Subscriber<Session> = { readonly session: Session; readonly subscription: Subscription };

type Node<Session> = {
  readonly children: Map<string, Node<Session>>;
  readonly subscribers: Set<Subscriber<Session>>;
};

const newNode = <Session>(): Node<Session> => ({ children: new Map(), subscribers: new Set() });

/** The subscriptions of all sessions by the levels of their topic filters. */
export const createSubscriptionTree = <Session>() => {
  const root = newNode<Session>();
  const added = new Map<Subscription, Subscriber<Session>>();

  const collect = (
    node: Node<Session>,
    levels: readonly string[],
    at: number,
    found: Subscriber<Session>[],
  ): void => {
    // `sport/#` also matches `sport`. Filters that begin with a wildcard do not match topics that begin with $.
    const isWild = at > 0 || !levels[0]?.startsWith('$');
    if (isWild) for (const each of node.children.get('#')?.subscribers ?? []) found.push(each);
    const level = levels[at];
    if (level === undefined) {
      for (const each of node.subscribers) found.push(each);
      return;
    }
    const exact = node.children.get(level);
    if (exact !== undefined) collect(exact, levels, at + 1, found);
    const wild = isWild ? node.children.get('+') : undefined;
    if (wild !== undefined) collect(wild, levels, at + 1, found);
  };

  return {
    add: (session: Session, subscription: Subscription): void => {
      let node = root;
      for (const level of subscription.filter.split('/')) {
        const child = node.children.get(level) ?? newNode<Session>();
        node.children.set(level, child);
        node = child;
      }
      const subscriber = { session, subscription };
      node.subscribers.add(subscriber);
      added.set(subscription, subscriber);
    },
    remove: (subscription: Subscription): void => {
      const subscriber = added.get(subscription);
      if (subscriber === undefined) return;
      added.delete(subscription);
      const path: [Node<Session>, string][] = [];
      let node = root;
      for (const level of subscription.filter.split('/')) {
        path.push([node, level]);
        node = node.children.get(level) ?? newNode<Session>();
      }
      node.subscribers.delete(subscriber);
      for (const [parent, level] of path.toReversed()) {
        const child = parent.children.get(level);
        if (child === undefined || child.subscribers.size > 0 || child.children.size > 0) return;
        parent.children.delete(level);
      }
    },
    match: (topic: string): readonly Subscriber<Session>[] => {
      const found: Subscriber<Session>[] = [];
      if (added.size > 0) collect(root, topic.split('/'), 0, found);
      return found;
    },
  };
};
