import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import { PipelineStateNotice } from './pipeline-state-notice.tsx';
import { bottomBarRef } from '../../ui/browser/document-mark.ts';

type Props = { pipeline: Pipeline; children: ReactNode };

/**
 * Shows the notice of the state without moving the panels. If the page opens with a notice, it is above the panels, and its
 * place stays empty when it disappears. A later notice covers the bottom of the window.
 */
export const NoticePlace = ({ pipeline, children }: Props) => {
  const hasNotice = pipeline.state !== 'running';
  const [isAbove] = useState(hasNotice);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    // A narrower window needs another height.
    if (current.dataset['width'] !== String(window.innerWidth)) current.style.minHeight = '';
    current.dataset['width'] = String(window.innerWidth);
    current.style.minHeight = `${current.offsetHeight}px`;
  });
  const notice = <PipelineStateNotice pipeline={pipeline} />;
  return (
    <>
      {isAbove && (
        <div ref={place} className="mb-4 grid">
          {hasNotice ? (
            notice
          ) : (
            <p className="flex items-center rounded-md border border-hairline px-4 py-3 text-muted">
              Running again
            </p>
          )}
        </div>
      )}
      {children}
      {!isAbove && hasNotice && (
        <div
          ref={bottomBarRef}
          className="sticky bottom-4 z-5 mt-4 rounded-md bg-raised shadow-pop max-md:bottom-[calc(4.5rem+env(safe-area-inset-bottom))]"
        >
          {notice}
        </div>
      )}
    </>
  );
};
