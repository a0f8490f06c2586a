/** An expression that maps the messages that meet a condition, and leaves all others to `auto`. */
export const suggestExpression = (condition: string, mapping: string): string =>
  `${condition} ? ${mapping} : $`;
