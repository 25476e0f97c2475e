import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/caches.md'), 'utf8')

/** Functions of the packages that keep something between answers, and what of them their file says. */
const functions = ['amm', 'engine', 'store', 'tool-server'].flatMap((name) => {
  const folder = join(root, 'packages', name, 'src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(?!.*\.(test|fixture|gen)\.ts$).*\.ts$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      const found = text.matchAll(/^(?:export )?(?:async )?function (\w+)[\s\S]*?\n}\n/gm)
      return [...found].map(([body, called = '']) => ({ package: name, name: called, body, text }))
    })
})

/** Held by a closure: a map, or one thing that is replaced. */
const keeps = /\n {2}(?:const|let) [^\n]*(?:new (?:Weak)?Map(?:<[^\n]*>)?\(\)|createRecent<|\| null = null\n)/

const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, name = '', , , bound = '']) => ({ name: name.replaceAll('`', ''), bound }))

describe('docs/caches.md', () => {
  test('names every place in which what is read of a chain is kept', () => {
    const kept = functions.filter(
      (one) => one.package === 'amm' && /^(create|keep)/.test(one.name) && keeps.test(one.body),
    )
    expect(kept.length).toBeGreaterThan(20)
    expect(kept.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  test('names nothing that is not there', () => {
    const named = [...page.matchAll(/`((?:create|keep)[A-Z]\w+)`/g)].map(([, name = '']) => name)
    const known = new Set(functions.map(({ name }) => name))
    expect(named.filter((name) => !known.has(name))).toEqual([])
    expect(rows.length).toBeGreaterThan(20)
  })

  test.each(rows)('bounds $name as its file does: $bound', ({ name, bound }) => {
    const files = functions.filter((one) => one.name === name).map(({ text }) => text)
    const numbers = [...bound.matchAll(/(\d[\d,]*)( KiB)?/g)].map(([, digits = '', isKiB]) =>
      isKiB === undefined ? digits.replaceAll(',', '_') : `${digits} \\* 1024`,
    )
    const isThere = (number: string) => files.some((text) => new RegExp(`(?<![\\d_])${number}(?![\\d_])`).test(text))
    expect(numbers.filter((number) => !isThere(number))).toEqual([])
  })
})
