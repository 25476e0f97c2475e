import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { Secret } from '../secret.ts'
import { isRecord, shown } from '../shape.ts'
import { emptyField, invalidField, WalletError } from '../wallet-error.ts'
import { Writable } from 'node:stream'

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
      details: { fields: [{ field: 'passphrase', accepted: 'a variable that is set' }], variable: shown(from.env) },
    })
  }
  if (text === '') throw emptyField('passphrase', ways)
  throw invalidField('passphrase', ways)
}

const ways =
  "text, a Secret, { file: 'a file that holds it' }, { env: 'KEYSTORE_PASSPHRASE' } for that variable, or a function that gives it"

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
    throw new WalletError('VALIDATION_CONFIG_INVALID', 'The passphrase was not given.', {
      cause,
      details: { fields: [{ field: 'passphrase', accepted: 'a function that gives it' }] },
    })
  }
}

/**
 * Reads a small file that holds a secret. Mode and content are of one opened file, so that nobody exchanges it in between.
 * Throws `KEYSTORE_UNSAFE` where group or others have any right to it, `KEYSTORE_INVALID` where it cannot be read.
 */
export async function readOwnFile(path: string): Promise<string> {
  // Without O_NONBLOCK a pipe in place of the file would hold the process until somebody writes to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const message = isMissing ? `There is no file ${path}.` : `The file ${path} cannot be read.`
    throw new WalletError('KEYSTORE_INVALID', message, { cause, details: { path } })
  })
  try {
    const { mode, size, isFile } = await file.stat().then((stats) => ({
      mode: stats.mode,
      size: stats.size,
      isFile: stats.isFile(),
    }))
    if (!isFile || size > largestBytes)
      throw new WalletError('KEYSTORE_INVALID', `The file ${path} is no keystore.`, { details: { path } })
    // Windows keeps no such bits.
    if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
      throw new WalletError('KEYSTORE_UNSAFE', `Others than the owner have rights to the file ${path}.`, {
        details: { path },
      })
    }
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

const largestBytes = 64 * 1024

/**
 * Asks a person at the terminal for a passphrase and shows nothing of what is typed. The question goes to stderr, so that
 * what a program prints stays clean. Throws `VALIDATION_CONFIG_INVALID` where there is no terminal, where the person leaves
 * (Ctrl+C, Ctrl+D), and where two answers differ.
 */
export async function askPassphrase(options: AskPassphraseOptions = {}): Promise<string> {
  const { question = 'Passphrase: ', twice = false, input = process.stdin, output = process.stderr } = options
  if (input.isTTY !== true) throw unanswered('There is no terminal to ask for the passphrase at.')
  const answer = await ask(question, input, output)
  if (twice && (await ask('Once more: ', input, output)) !== answer) throw unanswered('The two passphrases differ.')
  return answer
}

/** How a passphrase is asked for. */
export type AskPassphraseOptions = {
  readonly question?: string
  /** Asks once more and compares: for a new keystore, whose key a slip of the hand would lose. */
  readonly twice?: boolean
  /** The terminal; the process's own where it is missing. */
  readonly input?: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output?: NodeJS.WritableStream
}

/** A line editor takes the terminal's echo away for its own; this one's goes nowhere. */
async function ask(question: string, input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<string> {
  const { createInterface } = await import('node:readline')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const editor = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
  try {
    const answer = new Promise<string>((resolve, reject) => {
      editor.once('line', resolve)
      editor.once('close', () => reject(unanswered('The passphrase was not given.')))
    })
    output.write(question)
    return await answer
  } finally {
    editor.close()
    output.write('\n')
  }
}

function unanswered(message: string): WalletError {
  return new WalletError('VALIDATION_CONFIG_INVALID', message, {
    suggestion: 'Type the passphrase at a terminal, or give it in a file of mode 0600 or in a variable.',
    details: { fields: [{ field: 'passphrase', accepted: 'what is typed at a terminal' }] },
  })
}
