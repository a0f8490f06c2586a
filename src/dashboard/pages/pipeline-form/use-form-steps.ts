import { useEffect, useRef, type RefObject } from 'react';
import { useLocation } from 'react-router-dom';
import { focusPointer } from '../../kit/schema-form/place-schema-errors.ts';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import type { SourceKind } from '../../resources/pipelines/interval-setting.ts';
import { isFormStep, stepOfPointer, type FormStep } from './form-steps.ts';

/** The step of the form, from the address. `first`: the step of an address that names none. */
export const useFormSteps = (root: RefObject<HTMLFormElement | null>, first: FormStep, kind: SourceKind) => {
  const [params, setParams] = useQueryParams();
  const state: unknown = useLocation().state;
  const asked = params.get('step');
  const step = isFormStep(asked) ? asked : first;
  const shown = useRef(step);
  const target = useRef<string>(undefined);

  const go = (next: FormStep, pointer?: string) => {
    target.current = pointer;
    // A field far down the step keeps its place.
    const preventScrollReset = pointer !== undefined;
    setParams((old) => withParams(old, { step: next }), { state, preventScrollReset });
  };

  const goTo = (pointer: string) => {
    const next = stepOfPointer(pointer, kind);
    if (next !== step) go(next, pointer);
    else if (root.current !== null) focusPointer(root.current, pointer);
  };

  useEffect(() => {
    if (shown.current === step || root.current === null) return;
    shown.current = step;
    if (target.current === undefined)
      root.current.querySelector<HTMLElement>(`[data-step=${step}]`)?.focus({ preventScroll: true });
    else focusPointer(root.current, target.current);
    target.current = undefined;
  }, [root, step]);

  return { step, go, goTo };
};
