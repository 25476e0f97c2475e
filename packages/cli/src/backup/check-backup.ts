import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { type Manifest, readManifest } from './manifest.ts'

/** Holds every file against the manifest. Throws, naming the first that is missing or is not as it was written. */
export async function checkBackup(backup: string): Promise<Manifest> {
  const manifest = await readManifest(backup)
  for (const { path, bytes, sha256 } of manifest.files) {
    const found = await sumOf(join(backup, path)).catch((cause: unknown) => {
      throw new Error(`${path} is missing from the backup ${backup}. Take another backup.`, { cause })
    })
    if (found.bytes !== bytes || found.sha256 !== sha256) {
      throw new Error(`${path} of the backup ${backup} is damaged. Take another backup.`)
    }
  }
  return manifest
}

/** Size and SHA-256 of a file. */
export async function sumOf(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const sum = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    sum.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: sum.digest('hex') }
}
