import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives a run of the tests a temporary directory of its own, and takes it away with all that the tests left in it. */
export function setup(): () => void {
  const before = process.env['TMPDIR']
  const directory = mkdtempSync(join(tmpdir(), 'svc-run-'))
  // A database server started as root runs as another user, who has to come through.
  chmodSync(directory, 0o711)
  process.env['TMPDIR'] = directory
  return () => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    // What ends with the workers may still be taking its own files away.
    rmSync(directory, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
  }
}
