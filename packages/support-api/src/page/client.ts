/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

// What the page does beyond its form, in the browser. Whatever it shows was rendered by the server: it asks for the page
// that the fields stand for and puts the live parts of that into this one.
const form = document.querySelector<HTMLFormElement>('#claim')
const snippet = document.querySelector<HTMLElement>('#curl')
const copy = document.querySelector<HTMLButtonElement>('#copy')
const fullAddress = /^0x[0-9a-fA-F]{40}$/
/** Counts the pages asked for, so that an older one never comes after a newer one. */
let asked = 0
/** True from a submit to the next word typed: what became of it is not wiped by a later look. */
let isReported = false
let timer: ReturnType<typeof setTimeout> | undefined

function field(name: string): string {
  const value = form === null ? null : new FormData(form).get(name)
  return typeof value === 'string' ? value.trim() : ''
}

async function bring(path: string, options: RequestInit = {}): Promise<void> {
  const turn = ++asked
  const isSubmit = options.method === 'POST'
  try {
    const answer = await fetch(path, { headers: { accept: 'text/html' }, ...options })
    const text = await answer.text()
    if (turn !== asked) return
    const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true
    if (isPage) show(new DOMParser().parseFromString(text, 'text/html'), isSubmit)
    else if (isSubmit) unanswered(text)
    if (answer.redirected) history.replaceState(null, '', answer.url)
  } catch {
    // The next look says what this one could not.
    if (isSubmit && turn === asked) unanswered('')
  }
  if (turn === asked) settle()
}

function show(fresh: Document, isSubmit: boolean): void {
  const isKept = isReported && !isSubmit && document.querySelector('#result [data-waiting]') === null
  for (const part of document.querySelectorAll('[data-live]')) {
    if (isKept && part.id === 'result') continue
    const other = fresh.getElementById(part.id)
    // What has not changed is left alone, so that nobody hears it again.
    if (other !== null && other.innerHTML !== part.innerHTML) part.replaceChildren(...other.childNodes)
  }
}

/** Puts a panel in the place of an outcome that did not come; `text` may be a problem in JSON, whose words are shown. */
function unanswered(text: string): void {
  const panel = document.querySelector<HTMLTemplateElement>('#unanswered')?.content.cloneNode(true)
  if (!(panel instanceof DocumentFragment)) return
  const words = panel.querySelector('[data-words]')
  if (words !== null) words.textContent = wordsOf(text) ?? words.textContent
  document.querySelector('#result')?.replaceChildren(panel)
}

function wordsOf(text: string): string | null {
  try {
    const { message, suggestion }: { message?: unknown; suggestion?: unknown } = JSON.parse(text)
    return typeof message === 'string' && typeof suggestion === 'string' ? `${message} ${suggestion}` : null
  } catch {
    return null
  }
}

/** Marks the field that the page speaks of, and looks again: soon while a claim is on its way. */
function settle(): void {
  form?.removeAttribute('aria-busy')
  const isFaulty = document.querySelector('#address-note .fault') !== null
  document.querySelector('#address')?.setAttribute('aria-invalid', String(isFaulty))
  const waiting = document.querySelector<HTMLElement>('[data-waiting]')
  clearTimeout(timer)
  timer = setTimeout(
    () => {
      if (document.hidden) return settle()
      void bring(waiting?.dataset['waiting'] ?? pathOfFields())
    },
    waiting === null ? 10_000 : 1_000,
  )
}

function pathOfFields(): string {
  const address = field('address')
  const chain = `chainId=${encodeURIComponent(field('chainId'))}`
  return fullAddress.test(address) ? `/?${chain}&address=${address}` : `/?${chain}`
}

function writeSnippet(): void {
  if (snippet === null) return
  const typed = { address: field('address') || '0x…', chainId: Number(field('chainId')), appId: field('appId') || '…' }
  snippet.textContent = `curl -X POST ${location.origin}/v1/faucet/request \\
  -H 'content-type: application/json' \\
  -d '${JSON.stringify(typed, null, 2).replaceAll("'", String.raw`'\''`)}'`
}

form?.addEventListener('input', () => {
  isReported = false
  writeSnippet()
  clearTimeout(timer)
  timer = setTimeout(() => void bring(pathOfFields()), 250)
})

form?.addEventListener('submit', (event) => {
  event.preventDefault()
  if (form.getAttribute('aria-busy') === 'true') return
  isReported = true
  form.setAttribute('aria-busy', 'true')
  clearTimeout(timer)
  const asking = document.querySelector<HTMLTemplateElement>('#asking')
  const result = document.querySelector('#result')
  if (asking !== null) result?.replaceChildren(asking.content.cloneNode(true))
  // A reload in the meantime comes back to the wallet that was asked for.
  history.replaceState(null, '', pathOfFields())
  const body = new URLSearchParams({ address: field('address'), chainId: field('chainId'), appId: field('appId') })
  void bring('/', { method: 'POST', body })
})

if (copy !== null) {
  copy.hidden = false
  copy.addEventListener('click', () => {
    const reported = (words: string) => {
      copy.textContent = words
      setTimeout(() => (copy.textContent = 'Copy'), 2_000)
    }
    navigator.clipboard.writeText(snippet?.textContent ?? '').then(
      () => reported('Copied'),
      () => reported('Select and copy it by hand'),
    )
  })
}

writeSnippet()
settle()
