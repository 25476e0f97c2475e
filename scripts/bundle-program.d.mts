export function bundleProgram(): Promise<string | null>
