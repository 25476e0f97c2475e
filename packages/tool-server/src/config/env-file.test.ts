import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { envFilePath, mergeEnvFile, readEnvFile } from './env-file.ts'

let directory: string
let path: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-env-'))
  path = envFilePath(directory)
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const modeOf = (file: string) => statSync(file).mode & 0o777

it('makes a file for its owner alone, in a directory for its owner alone, without a backup of nothing', () => {
  const deep = envFilePath(join(directory, 'new', 'data'))
  expect(mergeEnvFile(deep, { LOG_LEVEL: 'warn' })).toEqual({ changed: ['LOG_LEVEL'], backup: null })
  expect([modeOf(deep), modeOf(join(directory, 'new', 'data'))]).toEqual([0o600, 0o700])
  expect(readEnvFile(deep)).toEqual({ LOG_LEVEL: 'warn' })
})

it('changes the lines that it is asked for and no others, and keeps the former file', () => {
  const former = '# mine\nWALLET_ID=old\n\nLOG_LEVEL=warn\nPRIVATE_KEY=0x1\nWALLET_ID=older'
  writeFileSync(path, former, { mode: 0o600 })
  const merged = mergeEnvFile(path, { WALLET_ID: 'new', LOG_LEVEL: 'warn', PRIVATE_KEY: null, WALLET_TYPE: 'managed' })
  expect(merged).toEqual({ changed: ['WALLET_ID', 'PRIVATE_KEY', 'WALLET_TYPE'], backup: `${path}.bak` })
  expect(readFileSync(path, 'utf8')).toBe('# mine\n\nLOG_LEVEL=warn\nWALLET_ID=new\nWALLET_TYPE=managed\n')
  expect([readFileSync(`${path}.bak`, 'utf8'), modeOf(`${path}.bak`), modeOf(path)]).toEqual([former, 0o600, 0o600])
  expect(readdirSync(directory)).toEqual(['.env', '.env.bak'])
})

it('writes nothing where nothing changes', () => {
  writeFileSync(path, 'LOG_LEVEL=warn\n', { mode: 0o600 })
  const { ino, mtimeNs } = statSync(path, { bigint: true })
  expect(mergeEnvFile(path, { LOG_LEVEL: 'warn', PRIVATE_KEY: null })).toEqual({ changed: [], backup: null })
  expect(statSync(path, { bigint: true })).toMatchObject({ ino, mtimeNs })
  expect(existsSync(`${path}.bak`)).toBe(false)
})

it('refuses a file that others can read, a link, and a value that would be two lines', () => {
  writeFileSync(path, '', { mode: 0o644 })
  expect(() => mergeEnvFile(path, { LOG_LEVEL: 'warn' })).toThrow('chmod 600')
  rmSync(path)
  symlinkSync('/dev/null', path)
  expect(() => mergeEnvFile(path, { LOG_LEVEL: 'warn' })).toThrow('ENV_FILE_UNSAFE')
  rmSync(path)
  expect(() => mergeEnvFile(path, { LOG_LEVEL: 'warn\nPRIVATE_KEY=0x1' })).toThrow('LOG_LEVEL')
  expect(existsSync(path)).toBe(false)
})
