import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadPolicy } from '@svc/engine/policy'
import { beforeEach, expect, it } from 'vitest'
import { callCommand } from '../calls.fixture.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-operators-'))
})

const spkiOf = (curve: string) =>
  generateKeyPairSync('ec', { namedCurve: curve })
    .publicKey.export({ format: 'der', type: 'spki' })
    .toString('base64url')
const publicKey = spkiOf('P-256')
const id = 'A'.repeat(22)
const add = (...words: readonly string[]) => callCommand(['policy', 'add-operator', ...words, '--data-dir', dataDir])
const policyFile = () => join(dataDir, 'policy.json')

it('writes the public half of a passkey under a name, once, beside what the file says', async () => {
  writeFileSync(policyFile(), JSON.stringify({ version: 1, approvalThresholdUsd: '100' }), { mode: 0o600 })
  const added = await add('ada', `${id}.${publicKey}`, '--yes')
  expect([added.code, added.stderr]).toEqual([0, ''])
  expect(added.stdout).toMatch(/^fingerprint +[0-9a-f]{16}, which the page/m)
  const { operators, approvalThresholdUsd } = await loadPolicy(policyFile(), { production: false })
  expect([operators, approvalThresholdUsd]).toEqual([{ ada: { passkeys: [{ id, publicKey }] } }, '100'])
  expect(statSync(policyFile()).mode & 0o777).toBe(0o600)
  expect((await add('ada', `${id}.${publicKey}`, '--yes')).stdout).toContain('names it already')
  const second = `${'B'.repeat(22)}.${spkiOf('P-256')}`
  expect((await add('ada', second, '--yes')).code).toBe(0)
  expect(JSON.parse(readFileSync(policyFile(), 'utf8')).operators.ada.passkeys).toHaveLength(2)
})

it('writes nothing that is no passkey, or is that of another operator, or that nobody says yes to', async () => {
  for (const words of [['ada'], ['Ada B', `${id}.${publicKey}`], ['ada', id], ['ada', `${id}.${spkiOf('P-384')}`]])
    expect((await add(...words, '--yes')).code, `of ${words.join(' ')}`).toBe(2)
  expect(JSON.parse((await add('ada', `${id}.${publicKey}`, '--json')).stdout)).toMatchObject({ status: 'proposed' })
  expect((await add('ada', `${id}.${publicKey}`)).code, 'no terminal').toBe(2)
  expect(() => statSync(policyFile())).toThrow('ENOENT')
  await add('ada', `${id}.${publicKey}`, '--yes')
  const stolen = await add('eve', `${id}.${publicKey}`, '--yes')
  expect([stolen.code, stolen.stderr]).toEqual([1, expect.stringContaining('each passkey under one name')])
})
