import { Fragment } from 'react';

/** A name such as `readings.supply_temp`, which breaks after its dots and underscores first. */
export const BreakableName = ({ name }: { name: string }) =>
  name.split(/(?<=[._/:-])/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
