import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { askPassphrase } from './passphrase.ts'

test('asks without showing what is typed, and gives the terminal back as it was', async () => {
  const terminal = openTerminal()
  const answer = askPassphrase(terminal)
  expect(await terminal.shows(/Passphrase: $/)).toBe(true)
  expect(terminal.isRaw()).toBe(true)
  terminal.input.write('correkt\u007F\u007Fct horse\r')
  expect(await answer).toBe('correct horse')
  expect(terminal.shown()).toBe('Passphrase: \n')
  expect(terminal.isRaw()).toBe(false)
})

test('asks twice for a new one', async () => {
  const terminal = openTerminal()
  const answer = askPassphrase({ ...terminal, question: 'New passphrase: ', twice: true })
  await terminal.shows(/New passphrase: $/)
  terminal.input.write('correct horse\r')
  await terminal.shows(/Once more: $/)
  terminal.input.write('correct horse\r')
  expect(await answer).toBe('correct horse')
  expect(terminal.shown()).toBe('New passphrase: \nOnce more: \n')
})

test('refuses two that differ', async () => {
  const terminal = openTerminal()
  const answer = askPassphrase({ ...terminal, twice: true })
  await terminal.shows(/Passphrase: $/)
  terminal.input.write('correct horse\r')
  await terminal.shows(/Once more: $/)
  terminal.input.write('correct house\r')
  await expect(answer).rejects.toMatchObject({
    code: 'VALIDATION_CONFIG_INVALID',
    message: 'The two passphrases differ.',
  })
})

test.each([
  ['Ctrl+C', '\u0003'],
  ['Ctrl+D', '\u0004'],
])('a person who leaves with %s gives none', async (_name, key) => {
  const terminal = openTerminal()
  const answer = askPassphrase(terminal)
  await terminal.shows(/Passphrase: $/)
  terminal.input.write(key)
  await expect(answer).rejects.toMatchObject({ code: 'VALIDATION_CONFIG_INVALID' })
  expect(terminal.isRaw()).toBe(false)
})

test('refuses where there is no terminal, and asks nothing', async () => {
  const output = new PassThrough()
  await expect(askPassphrase({ input: new PassThrough(), output })).rejects.toMatchObject({
    code: 'VALIDATION_CONFIG_INVALID',
    message: 'There is no terminal to ask for the passphrase at.',
  })
  expect(output.read()).toBeNull()
})

/** The streams of a terminal, as far as a line editor needs one. */
function openTerminal() {
  const output = new PassThrough()
  let shown = ''
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
  })
  let raw = false
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => {
      raw = mode
    },
  })
  const shows = async (pattern: RegExp): Promise<boolean> => {
    await expect.poll(() => pattern.test(shown)).toBe(true)
    return true
  }
  return { input, output, shown: () => shown, isRaw: () => raw, shows }
}
