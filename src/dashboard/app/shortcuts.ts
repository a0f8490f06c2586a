import { useEffect, useEffectEvent } from 'react';
import { useNavigate } from 'react-router-dom';
import { navigation } from './navigation.ts';
import { isOverlayOpen, isTyping } from '../ui/browser/key-target.ts';
import { storedOption } from '../ui/browser/stored-choice.ts';
import { focusSearch } from '../ui/browser/search-key.ts';

/** Single keys can be turned off: they get in the way of speech input (WCAG 2.1.4). */
export const singleKeys = storedOption('penstock.single-keys', ['on', 'off'], 'on');

/** How long `g` waits for the letter of a page. */
const CHORD_MS = 1_200;

/** The keys that work everywhere: `Ctrl/Cmd K`, `?`, `/`, and `g` with a page's letter. */
export const useShortcuts = ({ onPalette, onHelp }: { onPalette: () => void; onHelp: () => void }) => {
  const navigate = useNavigate();
  const onKeyDown = useEffectEvent((event: KeyboardEvent, chord: { since: number }) => {
    if (
      event.key.toLowerCase() === 'k' &&
      (event.ctrlKey || event.metaKey) &&
      !event.altKey &&
      !event.shiftKey
    ) {
      event.preventDefault();
      onPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isOverlayOpen()) return;
    if (singleKeys.get() === 'off') return;
    const isChord = event.timeStamp - chord.since < CHORD_MS;
    chord.since = event.key === 'g' ? event.timeStamp : -Infinity;
    const page = isChord ? navigation.find(({ key }) => key === event.key) : undefined;
    if (page !== undefined) {
      event.preventDefault();
      void navigate(page.to);
    } else if (event.key === '?') {
      event.preventDefault();
      onHelp();
    } else if (event.key === '/') {
      event.preventDefault();
      focusSearch();
    }
  });
  useEffect(() => {
    const chord = { since: -Infinity };
    const listener = (event: KeyboardEvent) => onKeyDown(event, chord);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
};
