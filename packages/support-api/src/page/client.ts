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
let timer: ReturnType<typeof setTimeout> | undefined

function field(name: string): string {
  const value = form === null ? null : new FormData(form).get(name)
  return typeof value === 'string' ? value.trim() : ''
}

async function bring(path: string, options: RequestInit = {}): Promise<void> {
  const turn = ++asked
  try {
    const answer = await fetch(path, { headers: { accept: 'text/html' }, ...options })
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    if (turn !== asked) return
    for (const part of document.querySelectorAll('[data-live]')) {
      const other = fresh.getElementById(part.id)
      // What has not changed is left alone, so that nobody is told it again.
      if (other !== null && other.innerHTML !== part.innerHTML) part.replaceChildren(...other.childNodes)
    }
    if (answer.redirected) history.replaceState(null, '', answer.url)
  } catch {
    // The next look says what this one could not.
  }
  if (turn === asked) settle()
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
  writeSnippet()
  clearTimeout(timer)
  timer = setTimeout(() => void bring(pathOfFields()), 250)
})

form?.addEventListener('submit', (event) => {
  event.preventDefault()
  if (form.getAttribute('aria-busy') === 'true') return
  form.setAttribute('aria-busy', 'true')
  clearTimeout(timer)
  const asking = document.querySelector<HTMLTemplateElement>('#asking')
  const result = document.querySelector('#result')
  if (asking !== null) result?.replaceChildren(asking.content.cloneNode(true))
  const body = new URLSearchParams({ address: field('address'), chainId: field('chainId'), appId: field('appId') })
  void bring('/', { method: 'POST', body })
})

if (copy !== null) {
  copy.hidden = false
  copy.addEventListener('click', () => {
    const told = (words: string) => {
      copy.textContent = words
      setTimeout(() => (copy.textContent = 'Copy'), 2_000)
    }
    navigator.clipboard.writeText(snippet?.textContent ?? '').then(
      () => told('Copied'),
      () => told('Select and copy it by hand'),
    )
  })
}

writeSnippet()
settle()
