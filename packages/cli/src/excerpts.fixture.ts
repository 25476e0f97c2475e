import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { repository } from './processes.fixture.ts'

/**
 * Compares the excerpt of a run that a page shows, between `<!-- name -->` and `<!-- end of name -->`, with what this run printed.
 * Only the shapes are compared. When they differ, `npm run docs` replaces the whole excerpt, so that all its figures come from one run.
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

/** The first match of each pattern in what was printed, with a line `…` between two matches. */
export function partsOf(printed: string, patterns: readonly RegExp[]): string {
  const parts = patterns.map((pattern) => pattern.exec(printed)?.[0] ?? `${pattern.source} was not printed\n`)
  return parts.join('   …\n')
}

/**
 * A text without what differs between runs: keys, hashes, content ids, addresses, ports, temporary directories, amounts of tokens and
 * dollars, percentages, basis points of a loss, numbers with a decimal point, and grouped numbers that are not round. Also without
 * counts of trades and transactions, since trades of others may leave an allowance half used, and taking it back is one transaction
 * more. Line breaks become spaces, because they depend on the length of all these.
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
