/** A picker while its code loads: as tall as the picker with the same values. */
export const PickerPlaceholder = ({ label, values }: { label: string; values: readonly string[] }) => (
  <div className="flex flex-col gap-1.5">
    <div className="font-medium">{label}</div>
    <div className="flex min-h-(--control-height) flex-wrap items-center gap-1 rounded-md border border-control bg-surface p-1">
      {values.map((value) => (
        <div
          key={value}
          className="flex h-6 max-w-full items-center rounded-sm bg-hover pr-7 pl-2 text-sm touch:h-9 touch:pr-10"
        >
          <span className="truncate">{value}</span>
        </div>
      ))}
      <div className="h-6 min-w-20 flex-1 touch:h-9" />
    </div>
  </div>
);
