export declare function readImporters(
  root: string,
  files: readonly string[],
): (source: string) => ReadonlyMap<string, number>
