import { Suspense, useEffect, useRef, useState } from 'react';
import type { Device } from '#contract/devices.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { readDraft } from '../../ui/browser/draft.ts';
import { lazyPart } from '../../ui/browser/lazy-part.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { LoadFailure } from '../../ui/feedback/load-failure.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { ScrollRegion } from '../../ui/layout/scroll-region.tsx';

const NotesForm = lazyPart(async () => (await import('./notes-form.tsx')).NotesForm, LoadFailure);

/** The notes of a device, edited in place. */
export const DeviceNotes = ({ device }: { device: Device }) => (
  <Panel title="Notes">
    <Notes device={device} />
  </Panel>
);

const Notes = ({ device }: { device: Device }) => {
  const canWrite = useHasScope('devices:write');
  const draft = `device-notes.${device.id}`;
  const [isEdited, setIsEdited] = useState(() => readDraft(draft) !== null);
  // A kept draft opens the form with the page, without the focus.
  const [takesFocus, setTakesFocus] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasEdited = useRef(false);
  useEffect(() => {
    // After the dialog that confirms a discard has tried to return the focus.
    if (!isEdited && wasEdited.current) requestAnimationFrame(() => button.current?.focus());
    wasEdited.current = isEdited;
  }, [isEdited]);
  const edit = () => {
    setTakesFocus(true);
    setIsEdited(true);
  };
  if (isEdited && canWrite)
    return (
      <Suspense fallback={<Skeleton className="h-28" />}>
        <NotesForm device={device} draft={draft} takesFocus={takesFocus} onClose={() => setIsEdited(false)} />
      </Suspense>
    );
  return (
    <div className="flex flex-col items-start gap-2">
      {device.notes === '' ? (
        <p className="text-muted">
          No notes yet.{canWrite && ' Write down what others should know about this device.'}
        </p>
      ) : (
        <ScrollRegion label="Notes text" className="max-h-96 w-full overflow-y-auto">
          <p className="wrap-anywhere whitespace-pre-wrap">{device.notes}</p>
        </ScrollRegion>
      )}
      {canWrite && (
        <Button ref={button} onClick={edit}>
          {device.notes === '' ? 'Add notes' : 'Edit notes'}
        </Button>
      )}
    </div>
  );
};
