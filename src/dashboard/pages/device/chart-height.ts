/** The same before and after the chart is there. */
export const CHART_HEIGHT_PX = 280;
