import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commands } from '../../packages/cli/src/run-command.ts'
import { UsageError } from '../../packages/cli/src/usage-error.ts'

const root = join(import.meta.dirname, '../..')
const pages = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  ...['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(root, folder))
      // What that page shows is run, all of it, by integration/operator.
      .filter((name) => name.endsWith('.md') && name !== 'first-operator.md')
      .map((name) => `${folder}/${name}`),
  ),
]

/** Every `svc ...` that a page shows, in running text or on a line of its own. */
const shown = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const found = [...text.matchAll(/`svc ([^`]+)`|^ *(?:\$ |npx )?svc (\S.*)$/gm)]
  const words = found.map(([, inText, onLine]) => (inText ?? onLine ?? '').split(/\s+/).filter((word) => word !== ''))
  return words.map((command) => ({ page, command, text: command.join(' ') }))
})

/** Nothing can be opened there, so every command ends once its words are read. */
const nowhere = '/dev/null/nowhere'

/** What stands for itself in a page. */
const placeholders: Readonly<Record<string, string>> = {
  ID: 'op-1',
  PLAN: 'op-1',
  HASH: `0x${'5a'.repeat(32)}`,
  OTHER: `0x${'a5'.repeat(32)}`,
  TEXT: 'maintenance',
  T: 'execute_swap',
  E: 'tx.failed',
  TIME: '2026-01-31',
  URL: 'http://127.0.0.1:1',
  N: '1',
  ROLE: 'vault_manager',
  FILE: `${nowhere}/file.json`,
  PASSKEY: `${'A'.repeat(22)}.${generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' }).toString('base64url')}`,
}

/** What the command says to these words, or `null` when it takes them. */
async function refusalOf([name = '', ...rest]: readonly string[]): Promise<string | null> {
  const command = Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : undefined
  if (command === undefined) return `there is no command ${name}`
  const run = await command.load()
  try {
    await run(rest, new Promise<never>(() => {}))
    return null
  } catch (error) {
    return error instanceof UsageError ? error.message : null
  }
}

const wordsOf = (command: readonly string[]): readonly string[] =>
  command.map((word, index) => {
    if (word === 'D') return command[index - 1] === '--day' ? '2026-01-31' : nowhere
    return placeholders[word] ?? word
  })

const noTerminal = 'There is no terminal to ask on.'

describe('the commands that the pages show', () => {
  const unique = [...new Map(shown.map((one) => [one.text, one])).values()]
  const isName = (command: readonly string[]): boolean => command.every((word) => /^[a-z]+(-[a-z]+)*$/.test(word))

  it('are there to be held against the commands', () => {
    expect(unique.length).toBeGreaterThan(20)
  })

  it.each(unique.filter(({ command }) => !isName(command)))(
    '$page: svc $text takes these words',
    async ({ command }) => {
      // What reads files alone has no data directory.
      const isOfFiles = command[0] === 'lp' && !command.includes('--chain')
      const place = command.includes('--data-dir') || isOfFiles ? [] : ['--data-dir', nowhere]
      const refused = await refusalOf([...wordsOf(command), ...place])
      expect(refused?.startsWith(noTerminal) === true ? null : refused).toBeNull()
    },
  )

  // A name alone need not be all of a command's words, but it must be one.
  it.each(unique.filter(({ command }) => isName(command)))('$page: svc $text is a command', async ({ command }) => {
    const refused = await refusalOf([...command, '--no-such-flag'])
    const isOneWord = command.length === 1
    expect(refused).not.toMatch(
      isOneWord ? /^there is no command/ : /^there is no command|^svc \w+ takes (?!no|a value)/,
    )
  })
})
