import { Link } from 'react-router-dom';
import { toolGroups } from '../../resources/connect/tools/connect-tool.ts';
import { connectTools } from '../../resources/connect/connect-tools.ts';
import { paths, withQuery } from '../../paths.ts';

/** The devices and tools, by group. */
export const ToolList = () => (
  <div className="flex flex-col gap-6">
    {toolGroups.map((group) => (
      <section key={group} aria-label={group}>
        <h2 className="mb-2 font-semibold">{group}</h2>
        <ul className="grid gap-2 md:grid-cols-2 xl:grid-cols-4">
          {connectTools
            .filter((tool) => tool.group === group)
            .map(({ id, label, summary }) => (
              <li key={id}>
                <Link
                  to={withQuery(paths.connect, { tool: id })}
                  aria-describedby={`tool-${id}`}
                  aria-label={label}
                  className="block h-full rounded-md border border-hairline bg-surface px-3 py-2.5 hover:border-control hover:bg-hover"
                >
                  <span className="block font-medium">{label}</span>
                  <span id={`tool-${id}`} className="block text-sm text-muted">
                    {summary}
                  </span>
                </Link>
              </li>
            ))}
        </ul>
      </section>
    ))}
  </div>
);
