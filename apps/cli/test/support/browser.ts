/** A person at a browser: goes through the forms of an identity server. */
export class Browser {
  readonly #cookies = new Map<string, string>();

  /**
   * Opens a page, and sends each form until there is none.
   * @param fields what the person fills in. @returns the last page's text
   */
  async visit(url: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
    let [address, page] = await this.#load(url);
    for (let forms = 0; forms < 10; forms += 1) {
      const form = /<form[^>]*>/.exec(page)?.[0];
      if (form === undefined) return page;
      const action = /action="([^"]*)"/.exec(form)?.[1] ?? address;
      const inputs = Array.from(page.matchAll(/<input[^>]*>/g), ([input]) => [
        /name="([^"]*)"/.exec(input)?.[1] ?? '',
        /value="([^"]*)"/.exec(input)?.[1] ?? 'alice',
      ]);
      const isQuestion = page.includes('name="abort"');
      const body = new URLSearchParams({ ...Object.fromEntries(inputs), ...(isQuestion && fields) });
      [address, page] = await this.#load(new URL(action, address).href, body);
      if (isQuestion && fields.abort !== undefined) return page;
    }
    throw new Error(`the forms at ${address} have no end`);
  }

  async #load(url: string, form?: URLSearchParams): Promise<readonly [string, string]> {
    let to = url;
    let body = form;
    for (let hops = 0; hops < 10; hops += 1) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const request = { headers: { cookie }, redirect: 'manual' } as const;
      const response = await fetch(to, body ? { ...request, method: 'POST', body } : request);
      for (const line of response.headers.getSetCookie()) this.#take(line);
      const location = response.headers.get('location');
      if (location === null) return [to, await response.text()];
      await response.body?.cancel();
      to = new URL(location, to).href;
      body = undefined;
    }
    throw new Error(`${url} redirects without end`);
  }

  #take(line: string): void {
    const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
    if (value === '') this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}
