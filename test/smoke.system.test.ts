import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const bench = join(import.meta.dirname, '../bench')
let folder: string
let names: readonly string[]

// The runner itself, beside benchmarks that are quick.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-smoke-'))
  for (const part of ['run.mjs', 'parts']) await cp(join(bench, part), join(folder, part), { recursive: true })
  names = [...(await readFile(join(bench, 'run.mjs'), 'utf8')).matchAll(/'\.\/([\w-]+)\.mjs',/g)].map(
    ([, name]) => name!,
  )
})
afterAll(() => rm(folder, { recursive: true }))

const whole = "[{ name: 'a ratio', value: 2, unit: 'x', reference: 'the other', bar: 1, holds: false }]"
const fake = (name: string, figures: string) =>
  writeFile(join(folder, `${name}.mjs`), `export const run = async () => ${figures}\n`)

const smoke = (...words: readonly string[]) =>
  new Promise<{ readonly code: number; readonly printed: string }>((resolve) => {
    const child = execFile(process.execPath, [join(folder, 'run.mjs'), ...words, '--smoke'], (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, printed: stdout + stderr }),
    )
  })

describe('npm run bench -- --smoke', () => {
  test.each([
    ['prints a figure, whatever it is', whole, 0, /^a ratio +2 x\n$/],
    [
      'cannot be measured here and says so',
      "[{ name: 'a', value: null, reference: 'not measured: no disk' }]",
      0,
      /^a /,
    ],
    ['prints none', '[]', 1, /^no figure was printed\n$/],
    [
      'prints one that is no number',
      "[{ name: 'a', value: NaN, unit: 'x', reference: 'the other' }]",
      1,
      /no number: a\n$/,
    ],
    ['fails', "Promise.reject(new Error('it broke'))", 1, /it broke/],
  ])('for a benchmark that %s', async (_, figures, code, printed) => {
    await fake('mcp', figures)
    expect(await smoke('mcp')).toEqual({ code, printed: expect.stringMatching(printed) })
  })

  test('without a name runs every benchmark, and fails when one does', async () => {
    for (const name of names) await fake(name, name === 'lp' ? '[]' : whole)
    const { code, printed } = await smoke()
    // They run side by side, so that whichever ends first is told first.
    const verdicts = [...printed.matchAll(/^([\w-]+) +(runs|FAILED) /gm)].map(
      ([, name, verdict]) => `${name} ${verdict}`,
    )
    expect(verdicts.toSorted()).toEqual(names.map((name) => `${name} ${name === 'lp' ? 'FAILED' : 'runs'}`).toSorted())
    expect([names.length > 5, code]).toEqual([true, 1])
  })
})
