import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatAmount } from '@svc/lp-math'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCommand } from '../../packages/cli/src/calls.fixture.ts'

const root = join(import.meta.dirname, '../..')
const pagePath = join(root, 'docs/guide-lp-analytics.md')
const program = join(root, 'packages/lp-math/guide.mjs')

let folder: string
let said: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lp-guide-'))
  said = execFileSync(process.execPath, [program, folder], { encoding: 'utf8' })
})
afterAll(() => rmSync(folder, { recursive: true }))

const commands = () => [...(page().match(/^npx --no-install svc lp .*$/gm) ?? [])]
const page = () => readFileSync(pagePath, 'utf8')

test('the page holds the program, part by part, and what each part prints', async () => {
  const [imports = '', first = '', ...others] = readFileSync(program, 'utf8').split(/^(?=\/\/ \d\. )/m)
  const code = [imports + first, ...others.slice(0, 3)]
  const printed = said.split(/^(?=\d\. )/m)
  expect([code.length, printed.length]).toEqual([4, 4])
  let [blocks, outputs] = [0, 0]
  const rendered = page()
    .replaceAll(/^```js\n[^]*?^```$/gm, () => `\`\`\`js\n${code[blocks++]?.trim()}\n\`\`\``)
    .replaceAll(/^```text\n[^]*?^```$/gm, () => `\`\`\`text\n${printed[outputs++]?.trim()}\n\`\`\``)
  expect([blocks, outputs]).toEqual([4, 4])
  await expect(rendered).toMatchFileSnapshot(pagePath)
})

test('its commands say what the program says, and draw its pictures', async () => {
  const [optimize, replay, backtest] = commands().map((line) =>
    line.replace('npx --no-install svc lp ', '').replaceAll('FOLDER', folder).replaceAll("'", '').split(' '),
  )
  const pictures = ['range', 'backtest'].map((name) => join(folder, `${name}.svg`))
  for (const [words, picture] of [
    [optimize, pictures[0]],
    [backtest, pictures[1]],
  ] as const) {
    const { code, stderr } = await callCommand(['lp', ...words!, '--svg', picture!])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  }
  const { stdout } = await callCommand(['lp', ...replay!, '--json'])
  const { fees0, fees1 } = JSON.parse(stdout).position
  const [, weth, usdc] = /^replayed: ([\d.]+) WETH and ([\d.]+) USDC/m.exec(said) ?? []
  expect([formatAmount(BigInt(fees0), 18), formatAmount(BigInt(fees1), 6)]).toEqual([weth, usdc])
  for (const [at, name] of ['guide-range.svg', 'guide-backtest.svg'].entries()) {
    await expect(readFileSync(pictures[at]!, 'utf8')).toMatchFileSnapshot(join(root, 'docs/images', name))
  }
})

test('what was collected is what the replay says, and both backtests are near it', () => {
  const fees = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(said)?.[1] ?? name
  const usd = (name: string) => Number(/([\d.]+) USDC(?: in all|, give or take)/.exec(fees(name))?.[1])
  expect(fees('replayed')).toBe(fees('collected'))
  expect(usd('backtest by swaps') / usd('collected')).toBeCloseTo(1, 2)
  expect(usd('backtest by hours') / usd('collected')).toBeCloseTo(1, 1)
})
