import { Writable } from 'node:stream'
import { WalletError } from '../wallet-error.ts'

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
