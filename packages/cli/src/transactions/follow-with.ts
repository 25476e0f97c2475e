/** The command that shows what became of a transaction, on the data directory that was named. */
export function followWith(hash: string, dataDir: string | undefined): string {
  return `svc transactions show ${hash}${dataDir === undefined ? '' : ` --data-dir ${dataDir}`}`
}
