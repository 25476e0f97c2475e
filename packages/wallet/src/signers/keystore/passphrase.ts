import { Secret } from '../../secret.ts'
import { invalidField } from '../signing-url.ts'
import { readOwnFile } from './read-own-file.ts'

/**
 * Where the passphrase of a keystore comes from: the passphrase itself, a file of mode 0600 (one line end at its end is
 * not part of it), or a variable of the environment.
 */
export type KeystorePassphrase = string | Secret | { readonly file: string } | { readonly env: string }

/** Variables by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Reads the passphrase. Throws `VALIDATION_CONFIG_INVALID` where there is none, `KEYSTORE_UNSAFE` for an open file. */
export async function readPassphrase(from: KeystorePassphrase, environment: Environment): Promise<string> {
  const text = await textOf(from, environment)
  if (text === undefined || text === '') throw invalidField('passphrase', 'text, a file that holds it, or a variable')
  return text
}

async function textOf(from: KeystorePassphrase, environment: Environment): Promise<string | undefined> {
  if (typeof from === 'string') return from
  if (from instanceof Secret) return from.reveal()
  if ('env' in from) return environment[from.env]
  return (await readOwnFile(from.file)).replace(/\r?\n$/, '')
}
