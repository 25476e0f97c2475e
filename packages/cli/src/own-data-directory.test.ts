import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { callCommand } from './calls.fixture.ts'
import { meantDirectory, requireDirectory } from './own-data-directory.ts'
import { openWorldDirectory } from './world-directory.ts'

let parent: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'svc-directories-'))
  for (const name of ['server', 'serves', 'photos']) mkdirSync(join(parent, name))
  writeFileSync(join(parent, 'server', 'state.db'), '')
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

it('names the directory of a server beside the one that was written, never one that is none', async () => {
  expect(await meantDirectory(join(parent, 'servers'))).toBe(`Did you mean ${join(parent, 'server')}? `)
  expect(await meantDirectory(join(parent, 'serves'))).toBe(`Did you mean ${join(parent, 'server')}? `)
  expect(await meantDirectory(join(parent, 'server'))).toBe('')
  expect(await meantDirectory(join(parent, 'photo'))).toBe('')
  expect(await meantDirectory(join(parent, 'nowhere', 'server'))).toBe('')
})

type Words = [...Parameters<typeof callCommand>[0]]

const commands: readonly Words[] = [
  ['approvals', 'list'],
  ['transactions', 'list'],
  ['policy', 'check'],
  ['policy', 'explain', 'op-1'],
  ['policy', 'add-token', 'base', 'WETH'],
  ['policy', 'add-delegate', 'base'],
  ['audit', 'show'],
  ['audit', 'verify'],
  ['audit', 'replay', '--day', '2026-01-31'],
  ['lp', 'optimize', '--chain', 'local', '--pair', 'WETH/USDC'],
  ['keys'],
  ['keys', 'show', 'read'],
  ['pause'],
  ['resume'],
]

it.each<Words>(commands)('svc %s %s says which directory was meant', async (...words) => {
  const written = join(parent, 'servre')
  const answer = await callCommand([...words, '--data-dir', written])
  expect(answer).toMatchObject({ code: 1, stdout: '' })
  expect(answer.stderr).toContain(`Did you mean ${join(parent, 'server')}? `)
})

it.each<Words>(commands)('svc %s %s says in words that a file is no data directory', async (...words) => {
  const file = join(parent, 'server', 'state.db')
  const answer = await callCommand([...words, '--data-dir', file])
  expect(answer).toMatchObject({ code: 1, stdout: '' })
  expect(answer.stderr).toMatch(/ (a part of this path )?is a file and no directory/)
  expect(answer.stderr).toContain('Name the data directory of the server with --data-dir or SVC_DATA_DIR.')
  expect(answer.stderr).not.toContain('lstat')
})

// Only root can be somebody else for a moment.
it.runIf(process.getuid?.() === 0)('a directory of another user names that user, and no flag', async () => {
  const own = join(parent, 'server')
  chmodSync(parent, 0o755)
  chmodSync(own, 0o700)
  process.seteuid?.(65_534)
  try {
    const whose = `${own} belongs to root (uid 0), and you are nobody (uid 65534): run this as that user.`
    await expect(requireDirectory(own)).rejects.toThrow(whose)
    await expect(openWorldDirectory(own)).rejects.toThrow(`(EACCES). ${whose} Name one that can be with --data-dir.`)
    await expect(openWorldDirectory(join(own, 'a', 'b'))).rejects.toThrow(`(EACCES). ${whose} Name one`)
  } finally {
    process.seteuid?.(0)
  }
})
