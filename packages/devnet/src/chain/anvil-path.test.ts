import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { anvilPath } from './start-anvil.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-anvil-test-'))
const program = join(folder, 'anvil')
writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
const plainFile = join(folder, 'notes.txt')
writeFileSync(plainFile, '', { mode: 0o644 })
afterAll(() => rmSync(folder, { recursive: true }))

test('SVC_ANVIL_PATH comes first', () => {
  expect(anvilPath({ SVC_ANVIL_PATH: program })).toBe(program)
})

test('a SVC_ANVIL_PATH that cannot be run is refused rather than passed over', () => {
  expect(() => anvilPath({ SVC_ANVIL_PATH: join(folder, 'absent') })).toThrow(/SVC_ANVIL_PATH is .*absent.*macOS/)
})

test('then the program that npm installed, then one on PATH', () => {
  expect(anvilPath({ PATH: '/nonexistent' }, program)).toBe(program)
  expect(anvilPath({ PATH: `/nonexistent${delimiter}${folder}` }, null)).toBe(program)
  expect(anvilPath({ PATH: folder }, plainFile)).toBe(program)
})

test('without any, the error says how to get one', () => {
  expect(() => anvilPath({ PATH: '/nonexistent' }, null)).toThrow(/none was found.*macOS.*Windows/)
})
