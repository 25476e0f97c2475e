import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { repository } from './processes.fixture.ts'

/**
 * Holds what a page shows of a run, between `<!-- name -->` and `<!-- end of name -->`, against what a run printed. Both are compared by
 * their shape; `npm run docs` writes an excerpt of another shape anew, so that all its figures are of one run.
 */
export function holdExcerpt(place: { readonly page: string; readonly name: string }, printed: string): void {
  const path = join(repository, place.page)
  const [opening, closing] = [`<!-- ${place.name} -->\n\`\`\`\n`, `\`\`\`\n<!-- end of ${place.name} -->`]
  const text = readFileSync(path, 'utf8')
  const [before = '', rest = ''] = text.split(opening)
  const [shown = '', ...after] = rest.split(closing)
  if (after.length === 0) throw new Error(`${place.page} has no place for an excerpt "${place.name}"`)
  if (inject('updatesSnapshots') && shapeOf(shown) !== shapeOf(printed)) {
    writeFileSync(path, [before, opening, printed, closing, ...after].join(''))
  } else {
    expect(shapeOf(shown)).toBe(shapeOf(printed))
  }
}

/** The parts of what was printed, each the first match of its pattern, with `…` for what is left out between them. */
export function partsOf(printed: string, patterns: readonly RegExp[]): string {
  const parts = patterns.map((pattern) => pattern.exec(printed)?.[0] ?? `${pattern.source} was not printed\n`)
  return parts.join('   …\n')
}

/**
 * What stays of a text from run to run. Left out is what another run may say otherwise: keys, hashes and content ids, addresses, ports,
 * temporary directories, amounts of tokens and dollars, percentages, whatever has a decimal point or is grouped and not round, counts of
 * trades and of transactions (an allowance that others' trades leave half used is taken back by one more), basis points of a loss; and where lines break, which hangs on how long these are.
 */
export function shapeOf(text: string): string {
  return text
    .replaceAll(/svc_(read|feedback|write)_(?:[\w-]{43}|…)/g, 'svc_$1_KEY')
    .replaceAll(/\b0x[0-9a-fA-F…]+(?:\.\.\.[0-9a-fA-F]*)?/g, 'HEX')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/\S*\/svc-up-\w+/g, 'DIRECTORY')
    .replaceAll(/\b\d[\d,]*(?:\.\d+)? (?=WETH|USDC|%|trades|transactions|more for exact allowances|bps worse)/g, '# ')
    .replaceAll(/\$\d[\d,]*(?:\.\d+)?/g, '$#')
    .replaceAll(/-?\b\d[\d,]*\.\d+/g, '#')
    .replaceAll(/\b\d{1,3}(?:,\d{3})+\b/g, (figure) => (figure.endsWith(',000') ? figure : '#'))
    .replaceAll(/\s+/g, ' ')
    .trim()
}
