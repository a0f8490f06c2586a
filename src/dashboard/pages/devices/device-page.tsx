export const DevicePage = () => null;
