/** Lists that come in pages. */

interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/** All items of a list, page after page, read as they are taken. */
export async function* itemsOf<T>(
  pageAfter: (after: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let after: string | undefined;
  do {
    const page = await pageAfter(after);
    yield* page.data;
    after = page.nextCursor ?? undefined;
  } while (after !== undefined);
}
