import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { decryptKeystoreJson, encryptKeystoreJson } from 'ethers'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Secret } from '../secret.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { WalletError } from '../wallet-error.ts'
import { openKeystore, writeKeystore } from './keystore.ts'

const key = `0x${'07'.repeat(32)}` as const
const address = privateKeyToAddress(key)
let folder: string

// What we write costs a second of a processor to open, as it should: one test does that, the others open a cheaper one.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keystore-'))
  const cheap = await encryptKeystoreJson({ address, privateKey: key }, 'correct horse', { scrypt: { N: 1024 } })
  await put('cheap.json', cheap.toLowerCase())
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

it('writes a file of mode 0600 without the key in it, which ethers and we open, and leaves nothing beside it', async () => {
  const path = join(folder, 'own.json')
  await writeKeystore(path, new Secret(key), async () => 'correct horse')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const text = await readFile(path, 'utf8')
  expect(text).not.toContain(key.slice(2))
  expect(JSON.parse(text)).toMatchObject({ crypto: { kdf: 'scrypt', kdfparams: { n: 131_072, r: 8, p: 1 } } })
  expect((await decryptKeystoreJson(text, 'correct horse')).address).toBe(address)
  expect((await openKeystore(path, 'correct horse')).reveal()).toBe(key)
  expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toEqual([])
})

it('opens what ethers wrote, passphrases beyond ASCII included, and makes a wallet of it', async () => {
  // Decomposed: ethers brings it into the form NFKC before it derives the key.
  const passphrase = 'Zoe\u0308'
  const text = await encryptKeystoreJson({ address, privateKey: key }, passphrase, { scrypt: { N: 1024 } })
  const opened = await openKeystore(await put('ethers.json', text), passphrase)
  expect(opened.reveal()).toBe(key)
  expect(inspect(opened)).toBe('[secret]')
  expect(new ServiceWallet({ mode: 'local', privateKey: opened }).address).toBe(address)
})

it('takes the passphrase from a Secret, a file of mode 0600 or a variable', async () => {
  const path = join(folder, 'cheap.json')
  const file = await put('passphrase', 'correct horse\n')
  const environment = { KEY_PASSPHRASE: 'correct horse' }
  for (const from of [new Secret('correct horse'), { file }, { env: 'KEY_PASSPHRASE' }]) {
    expect((await openKeystore(path, from, environment)).reveal()).toBe(key)
  }
  await chmod(file, 0o640)
  expect(await refusal(openKeystore(path, { file }))).toMatchObject({ code: 'KEYSTORE_UNSAFE' })
  expect(await refusal(openKeystore(path, { env: 'NOT_SET' }, {}))).toMatchObject({ code: 'VALIDATION_CONFIG_INVALID' })
})

it('asks whoever is named for the passphrase, and says when none came', async () => {
  const path = join(folder, 'cheap.json')
  expect((await openKeystore(path, async () => 'correct horse')).reveal()).toBe(key)
  const away = new Error('the terminal is gone')
  expect(await refusal(openKeystore(path, () => Promise.reject(away)))).toMatchObject({
    code: 'VALIDATION_CONFIG_INVALID',
    cause: away,
  })
  for (const nothing of ['', undefined, 7]) {
    const error = await refusal(openKeystore(path, async () => nothing as string))
    expect(error).toMatchObject({ code: 'VALIDATION_CONFIG_INVALID', message: expect.stringContaining('passphrase') })
  }
})

it('refuses a wrong passphrase without repeating it', async () => {
  const error = await refusal(openKeystore(join(folder, 'cheap.json'), 'wrong horse'))
  expect(error.code).toBe('KEYSTORE_PASSPHRASE_WRONG')
  expect(inspect(error, { depth: 20 })).not.toContain('wrong horse')
})

it.each([0o640, 0o604, 0o620, 0o601])('refuses a file of mode %o', async (mode) => {
  const path = await put('open.json', await readFile(join(folder, 'cheap.json'), 'utf8'))
  await chmod(path, mode)
  expect(await refusal(openKeystore(path, 'correct horse'))).toMatchObject({ code: 'KEYSTORE_UNSAFE' })
})

it.each<[string, (text: string) => string]>([
  ['no JSON', () => 'private'],
  ['another version', (text) => text.replace('"version":3', '"version":1')],
  ['a cost beyond any memory', (text) => text.replace(/"n":\d+/, '"n":1073741824')],
  ['another derivation', (text) => text.replace('"kdf":"scrypt"', '"kdf":"argon2"')],
  ['more than a keystore holds', (text) => text + ' '.repeat(70_000)],
  ['the address of another key', (text) => text.replace(/"address":"[^"]+"/, `"address":"${'00'.repeat(20)}"`)],
])('refuses a file with %s', async (_what, change) => {
  const path = await put('broken.json', change(await readFile(join(folder, 'cheap.json'), 'utf8')))
  expect(await refusal(openKeystore(path, 'correct horse'))).toMatchObject({ code: 'KEYSTORE_INVALID' })
})

it('refuses a folder, and a file that is not there, which it says', async () => {
  const path = join(folder, 'nowhere')
  expect((await refusal(openKeystore(path, 'correct horse'))).message).toBe(`There is no file ${path}.`)
  for (const path of [folder, join(folder, 'nowhere')]) {
    expect(await refusal(openKeystore(path, 'correct horse'))).toMatchObject({ code: 'KEYSTORE_INVALID' })
  }
})

it.each([{}, { SVC_TEST_PASSPHRASE: '' }])('names the variable that holds no passphrase (%j)', async (environment) => {
  const opened = openKeystore(join(folder, 'cheap.json'), { env: 'SVC_TEST_PASSPHRASE' }, environment)
  const { code, message, suggestion } = await refusal(opened)
  expect([code, message]).toEqual([
    'VALIDATION_CONFIG_INVALID',
    'The variable SVC_TEST_PASSPHRASE holds no passphrase.',
  ])
  expect(suggestion).toMatch(/^Set the variable/)
})

it.each([undefined, null, '', {}, { env: undefined }])(
  'says how a passphrase is given where it is %j',
  async (none) => {
    const { code, message } = await refusal(openKeystore(join(folder, 'cheap.json'), none as never))
    expect(code).toBe('VALIDATION_CONFIG_INVALID')
    expect(message).toContain("{ env: 'KEYSTORE_PASSPHRASE' }")
  },
)

it.each(['', new Secret('')])('says of a passphrase with nothing in it that it is empty: %j', async (passphrase) => {
  const { code, message } = await refusal(openKeystore(join(folder, 'cheap.json'), passphrase))
  expect([code, message]).toEqual([
    'VALIDATION_CONFIG_INVALID',
    expect.stringMatching(/^passphrase is empty; accepted: /),
  ])
})

it('keeps a keystore that is there, unless it is told to replace it', async () => {
  const path = await put('taken.json', 'the only copy')
  expect(await refusal(writeKeystore(path, key, 'horse'))).toMatchObject({
    code: 'KEYSTORE_NOT_WRITTEN',
    message: `There is a file ${path} already, which is kept.`,
    suggestion: expect.stringContaining('the option replace'),
  })
  expect(await readFile(path, 'utf8')).toBe('the only copy')
  expect(await writeKeystore(path, key, 'horse', { replace: true })).toBe(address)
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ address: address.slice(2).toLowerCase() })
  expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toEqual([])
})

it.each([
  ['0x12', 'VALIDATION_PRIVATE_KEY_INVALID'],
  [`0x${'00'.repeat(32)}`, 'VALIDATION_PRIVATE_KEY_INVALID'],
])('writes no file for the key %s', async (wrong, code) => {
  const path = join(folder, 'never.json')
  expect(await refusal(writeKeystore(path, wrong, 'horse'))).toMatchObject({ code })
  expect(await refusal(writeKeystore(path, key, ''))).toMatchObject({ code: 'VALIDATION_CONFIG_INVALID' })
  expect(await readdir(folder)).not.toContain('never.json')
})

async function put(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await rm(path, { force: true })
  await writeFile(path, text, { mode: 0o600 })
  return path
}

async function refusal(answer: Promise<unknown>): Promise<WalletError> {
  const error = await answer.then(
    () => expect.fail('accepted'),
    (cause: unknown) => cause,
  )
  if (error instanceof WalletError) return error
  throw error
}
