import { Secret } from '../../secret.ts'
import { WalletError } from '../../wallet-error.ts'
import { invalidField } from '../signing-url.ts'
import { readOwnFile } from './read-own-file.ts'

/**
 * Where the passphrase of a keystore comes from: the passphrase itself, a file of mode 0600 (one line end at its end is
 * not part of it), a variable of the environment, or whoever is asked for it, such as a person (`askPassphrase`).
 */
export type KeystorePassphrase =
  | string
  | Secret
  | { readonly file: string }
  | { readonly env: string }
  | (() => Promise<string>)

/** Variables by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Reads the passphrase. Throws `VALIDATION_CONFIG_INVALID` where there is none, `KEYSTORE_UNSAFE` for an open file. */
export async function readPassphrase(from: KeystorePassphrase, environment: Environment): Promise<string> {
  const text = await textOf(from, environment)
  if (typeof text !== 'string' || text === '')
    throw invalidField('passphrase', 'text, a file that holds it, a variable, or a function that gives it')
  return text
}

async function textOf(from: KeystorePassphrase, environment: Environment): Promise<unknown> {
  if (typeof from === 'string') return from
  if (from instanceof Secret) return from.reveal()
  if (typeof from === 'function') return await asked(from)
  if ('env' in from) return environment[from.env]
  return (await readOwnFile(from.file)).replace(/\r?\n$/, '')
}

async function asked(ask: () => Promise<string>): Promise<unknown> {
  try {
    return await ask()
  } catch (cause) {
    if (cause instanceof WalletError) throw cause
    throw new WalletError('VALIDATION_CONFIG_INVALID', 'The passphrase was not given.', { cause })
  }
}
