/** Saved views: reports with chosen fields, filters, groups, a comparison and an order, under a name. */
import { type Comparison, Query, type Readable } from './query.js'
import type { Transport } from './transport.js'

/** A view to save. Lists may also be texts with commas, as in a URL. */
export interface ViewDefinition {
  /** You have no other view of this name. */
  readonly name: string
  /** The id of a report, such as `sales.invoices`. */
  readonly report: string
  /** The parameters of the report. */
  readonly values?: Readonly<Record<string, string | number>>
  /** Words in place of the dates, such as `last-month`: they are counted from the day on which the view is read. */
  readonly period?: string
  readonly fields?: string | readonly string[]
  readonly filter?: string | readonly string[]
  readonly search?: string
  readonly sort?: string | readonly string[]
  readonly group?: string | readonly string[]
  readonly measures?: string | readonly string[]
  readonly having?: string | readonly string[]
  readonly compare?: Comparison
  /** The readers beside you: nobody (the default), everyone, or those who may use one of these groups of reports. */
  readonly shared?: 'nobody' | 'everyone' | readonly string[]
}

export interface SavedView extends ViewDefinition {
  readonly id: string
  readonly shared: 'nobody' | 'everyone' | readonly string[]
  /** The user who saved it. */
  readonly owner: string
  /** Whether it is yours. */
  readonly mine: boolean
  readonly changed_at: string
}

interface Waiting {
  readonly signal?: AbortSignal
}

const PATH = '/v1/views'
const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`
const idOf = (view: string | { readonly id: string }) => (typeof view === 'string' ? view : view.id)

/** An app password reads the data of views by their id, not the list and not definitions. */
export class Views {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Your views, and the ones that are shared with you. */
  async list(options: Waiting = {}): Promise<SavedView[]> {
    return (await this.#send<{ data: SavedView[] }>('GET', PATH, options)).data
  }

  async get(id: string, options: Waiting = {}): Promise<SavedView> {
    return await this.#send('GET', pathOf(id), options)
  }

  /** Saves a new view; with an `id`, replaces that view of yours. */
  async save(view: ViewDefinition & { readonly id?: string }, options: Waiting = {}): Promise<SavedView> {
    // A view that was read before can be changed and saved.
    const { id, owner: _, mine: __, changed_at: ___, ...body } = view as Partial<SavedView>
    return id === undefined
      ? await this.#send('POST', PATH, { ...options, body, isOnce: true })
      : await this.#send('PUT', pathOf(id), { ...options, body })
  }

  /** Deletes a view of yours. */
  async delete(view: string | { readonly id: string }, options: Waiting = {}): Promise<void> {
    await this.#send('DELETE', pathOf(idOf(view)), options)
  }

  /**
   * The records of a view, which begin when you read them. The words of its period are counted from today, or from the day `on`. Decimals are
   * strings. Name the type of its records if you know it.
   */
  data<R = Record<string, unknown>>(
    view: string | { readonly id: string },
    { on }: { readonly on?: string } = {},
  ): Readable<R> {
    const path = `${pathOf(idOf(view))}/data`
    const about = { id: 'views.data', method: 'GET', path, decimals: [], isView: true } as const
    return new Query<R, never, never>(this.#transport, about, {}, undefined, on === undefined ? {} : { on })
  }

  #send<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    about: Waiting & { readonly body?: object; readonly isOnce?: true },
  ): Promise<T> {
    return this.#transport.call({ method, path, query: {}, ...about }, async (response) => (await response.json()) as T)
  }
}
