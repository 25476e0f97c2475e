import { Secret } from '../../secret.ts'
import { isRecord, shown } from '../../shape.ts'
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
  if (typeof text === 'string' && text !== '') return text
  if (isOfEnvironment(from)) {
    throw new WalletError('VALIDATION_CONFIG_INVALID', `The variable ${shown(from.env)} holds no passphrase.`, {
      suggestion: 'Set the variable that the message names, or give the passphrase otherwise.',
    })
  }
  throw invalidField(
    'passphrase',
    "text, a Secret, { file: 'a file that holds it' }, { env: 'KEYSTORE_PASSPHRASE' } for that variable, or a function that gives it",
  )
}

async function textOf(from: KeystorePassphrase, environment: Environment): Promise<unknown> {
  if (typeof from === 'string') return from
  if (from instanceof Secret) return from.reveal()
  if (typeof from === 'function') return await asked(from)
  if (isOfEnvironment(from)) return environment[from.env]
  // What a caller without types may leave out.
  return isRecord(from) && 'file' in from && typeof from.file === 'string'
    ? (await readOwnFile(from.file)).replace(/\r?\n$/, '')
    : undefined
}

function isOfEnvironment(from: KeystorePassphrase): from is { readonly env: string } {
  return isRecord(from) && 'env' in from && typeof from.env === 'string'
}

async function asked(ask: () => Promise<string>): Promise<unknown> {
  try {
    return await ask()
  } catch (cause) {
    if (cause instanceof WalletError) throw cause
    throw new WalletError('VALIDATION_CONFIG_INVALID', 'The passphrase was not given.', { cause })
  }
}
