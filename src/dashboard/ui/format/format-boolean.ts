export const formatBoolean = (value: boolean): string => (value ? 'Yes' : 'No');
