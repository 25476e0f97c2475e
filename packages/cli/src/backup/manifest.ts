import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'

/** What a backup is: of when, of which version and state, which files it has and what each must be. */
export type Manifest = z.output<typeof manifestSchema>

export const manifestName = 'manifest.json'

/** In which form this version writes backups; what it reads. */
export const backupFormat = 1

/** Whether a backup can hold a file of this name: one that leads nowhere else, and that a person can read. */
export function isFileName(name: string): boolean {
  return name !== '.' && name !== '..' && /^[^/\\\p{C}]{1,200}$/u.test(name)
}

const hex = z.string().regex(/^[0-9a-f]{64}$/)

const manifestSchema = z.strictObject({
  format: z.literal(backupFormat),
  /** Of the program that made it. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  engine: z.enum(['sqlite', 'postgresql']),
  /** Of the schema, in order. */
  steps: z.array(z.string()),
  tables: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-z_]+$/),
      columns: z.array(z.string().regex(/^[a-z_0-9]+$/)),
      lastSequence: z.string().regex(/^\d+$/).nullable(),
      rows: z.int().min(0),
      digest: hex,
    }),
  ),
  /** Where the audit log ends; `null` where it holds no line. */
  audit: z.strictObject({ seq: z.int(), hash: hex }).nullable(),
  /** Under the backup's `state` or `files`. No name of one leads out of it. */
  files: z.array(
    z.strictObject({
      path: z
        .string()
        .refine((path) => /^(?:state|files)\//.test(path) && isFileName(path.slice(path.indexOf('/') + 1))),
      bytes: z.int().min(0),
      sha256: hex,
    }),
  ),
  leftOut: z.array(z.strictObject({ name: z.string(), why: z.string() })),
})

/** With a sum over itself, so that one which was changed is found out as well. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ sha256: sumOf(manifest), manifest }, null, 2)}\n`
}

/** Throws where there is none, or one that was changed or comes of another version. */
export async function readManifest(backup: string): Promise<Manifest> {
  const text = await readFile(join(backup, manifestName), 'utf8').catch((cause: unknown) => {
    throw new Error(`${backup} is no backup: it has no ${manifestName}.`, { cause })
  })
  const outer = z.strictObject({ sha256: hex, manifest: z.unknown() }).safeParse(parseOrNull(text))
  if (!outer.success || sumOf(outer.data.manifest) !== outer.data.sha256) {
    throw new Error(`The ${manifestName} of ${backup} is damaged. Take another backup.`)
  }
  const read = manifestSchema.safeParse(outer.data.manifest)
  if (read.success) return read.data
  throw new Error(`${backup} was made by another version of this program, which reads it.`)
}

function sumOf(manifest: unknown): string {
  return hash('sha256', JSON.stringify(manifest))
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
