/** Tells what a file really is from its first bytes, because programs give files names that do not fit. */
import { open } from 'node:fs/promises'

export type FileKind = 'zip' | 'xls' | 'html' | 'spreadsheetml' | 'tally' | 'xml' | 'pdf' | 'mhtml' | 'text' | 'binary'

const LOOKED_AT = 8192

export interface Look {
  readonly kind: FileKind
  /** The separator of a text with columns. */
  readonly separator: string | undefined
  readonly isEncrypted: boolean
}

export async function lookAt(file: string): Promise<Look> {
  const handle = await open(file)
  try {
    const bytes = Buffer.alloc(LOOKED_AT)
    const { bytesRead } = await handle.read(bytes, 0, LOOKED_AT, 0)
    const first = bytes.subarray(0, bytesRead)
    const kind = kindOf(first)
    const isEncrypted = kind === 'xls' && (await hasEncryptedPackage(handle))
    return { kind, isEncrypted, separator: kind === 'text' ? separatorIn(textOf(first)) : undefined }
  } finally {
    await handle.close()
  }
}

function kindOf(bytes: Buffer): FileKind {
  const hex = bytes.subarray(0, 8).toString('hex')
  if (/^504b(0304|0506|0708)/.test(hex)) return 'zip'
  // A compound file, or the stream of a workbook without one.
  if (hex === 'd0cf11e0a1b11ae1' || /^09(00|02|04|08)(04|06|08|10)00/.test(hex)) return 'xls'
  if (hex.startsWith('25504446')) return 'pdf'
  const text = textOf(bytes).trimStart()
  if (/^<\?xml|^<ENVELOPE|^<!--/i.test(text)) {
    if (/urn:schemas-microsoft-com:office:spreadsheet|progid="Excel\.Sheet"/.test(text)) return 'spreadsheetml'
    if (/<ENVELOPE[\s>]/.test(text)) return 'tally'
    return /<html[\s>]|<table[\s>]/i.test(text) ? 'html' : 'xml'
  }
  if (/^<(!doctype\s+html|html|head|meta|style|body|table|div|title|link|script|center|font|br|p|h\d)\b/i.test(text))
    return 'html'
  if (/^<[a-z_][\w.:-]*[\s>/]/i.test(text)) return 'xml'
  if (/^MIME-Version:|^Content-Type: multipart\/related/i.test(text)) return 'mhtml'
  return text.includes('\0') ? 'binary' : 'text'
}

/** UTF-16 without a byte order mark has a zero in every other byte. */
export function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second, third, fourth] = bytes
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0 && third !== 0 && fourth === 0))
    return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && third === 0 && fourth !== 0))
    return 'utf-16be'
  return 'utf-8'
}

const textOf = (bytes: Buffer): string => new TextDecoder(encodingOf(bytes)).decode(bytes)

function separatorIn(text: string): string | undefined {
  const [line = ''] = text.split(/[\r\n]/)
  return ['\t', ';', ',', '|'].find((separator) => line.includes(separator))
}

/** Excel puts an encrypted workbook into a compound file with a part of this name. */
async function hasEncryptedPackage(handle: Awaited<ReturnType<typeof open>>): Promise<boolean> {
  const name = Buffer.from('EncryptedPackage', 'utf16le')
  const bytes = Buffer.alloc(1 << 20)
  for (let at = 0; ; at += bytes.length - name.length) {
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, at)
    if (bytes.subarray(0, bytesRead).includes(name)) return true
    if (bytesRead < bytes.length) return false
  }
}
