import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deadLinks, headingAnchors, linksOf } from './dead-links.ts'

const root = join(import.meta.dirname, '../..')

test('no page links to a file or a heading of the repository that is not there', () => {
  const pages = execFileSync('git', ['ls-files', '*.md', 'llms.txt'], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
  expect(pages.length).toBeGreaterThan(50)
  expect(deadLinks(root, pages)).toEqual([])
})

test('a link to no file, to no heading and out of the repository is found, and one to elsewhere is none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-links-'))
  writeFileSync(join(folder, 'other.md'), '# One `word`, two\n\n## Twice\n\n## Twice\n')
  const links = [
    'other.md',
    'other.md#one-word-two',
    'other.md#twice-1',
    '#here',
    'https://example.com/x',
    'mailto:a@b.example',
  ]
  const dead = ['missing.md', 'other.md#twice-2', '#nowhere', '../outside.md']
  const text = [...links, ...dead].map((link) => `[a](${link})`).join('\n')
  writeFileSync(join(folder, 'page.md'), `# Here\n${text}\n\`\`\`\n[code](no.md)\n\`\`\`\n\`[code](no.md)\`\n`)
  expect(deadLinks(folder, ['page.md'])).toEqual(dead.map((link) => `page.md: ${link}`))
  rmSync(folder, { recursive: true })
})

test('links are found as text, as pictures, by name and in tags; headings as they are linked to', () => {
  expect(linksOf('[a](x.md "t") ![b](y.svg)\n\n[c]: z.md\n\n<img src="p.png"> [d](<w.md>)')).toEqual([
    'x.md',
    'y.svg',
    'w.md',
    'z.md',
    'p.png',
  ])
  expect([...headingAnchors('# A [link](x.md): `code`\n```\n# none\n```\n')]).toEqual(['a-link-code'])
})
