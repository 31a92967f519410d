'use strict';
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const root = document.documentElement;

  // What only a script can do is shown once there is one.
  all('[hidden].script').forEach((e) => { e.hidden = false; });

  // Theme: what the system says, until the button is pressed.
  const theme = document.getElementById('theme');
  const isDark = () => (root.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  theme.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    theme.setAttribute('aria-pressed', String(isDark()));
  });
  theme.setAttribute('aria-pressed', String(isDark()));

  // Sorting: a cell's data-v counts, else its text; what is not known stays last.
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.v ?? cell.textContent.trim();
    const number = Number(text);
    return text !== '' && Number.isFinite(number) ? number : text;
  };
  const compare = (a, b) => {
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
    return typeof a === 'number' ? a - b : a.localeCompare(b);
  };
  const sortBy = (head) => {
    const table = head.closest('table');
    const isDown = head.getAttribute('aria-sort') === 'none' ? head.classList.contains('n') : head.getAttribute('aria-sort') === 'ascending';
    all('th[aria-sort]', table).forEach((e) => e.setAttribute('aria-sort', 'none'));
    head.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
    const rows = all('tbody tr', table).map((row) => [valueOf(row, head.cellIndex), row]);
    const known = rows.filter(([v]) => v !== '');
    known.sort(([a], [b]) => (isDown ? compare(b, a) : compare(a, b)));
    table.tBodies[0].append(...known.map(([, row]) => row), ...rows.filter(([v]) => v === '').map(([, row]) => row));
  };
  all('th[aria-sort] button').forEach((b) => b.addEventListener('click', () => sortBy(b.closest('th'))));

  // Filter of the overview.
  const filter = document.getElementById('filter');
  filter?.addEventListener('input', () => {
    const wanted = filter.value.toLowerCase();
    all('.overview tbody tr').forEach((row) => { row.hidden = !row.textContent.toLowerCase().includes(wanted); });
  });

  // PTX and CUDA lines that belong together: data-s names the CUDA line in both panes.
  const showLine = (row) => {
    const panes = row.closest('.panes');
    all('tr.on', panes).forEach((e) => e.classList.remove('on'));
    const rows = all('tr[data-s]', panes).filter((e) => e.dataset.s === row.dataset.s);
    rows.forEach((e) => e.classList.add('on'));
    const other = rows.find((e) => e.closest('.pane') !== row.closest('.pane'));
    const pane = other?.closest('.pane');
    if (pane) pane.scrollTop = other.offsetTop - pane.clientHeight / 3;
  };
  document.addEventListener('click', (event) => {
    const row = event.target.closest('.pane tr[data-s]');
    if (row && !event.target.closest('a')) showLine(row);
  });
  // A link to a line opens the parts around it, and shows the line in both panes.
  const showTarget = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let e = target.closest('details'); e; e = e.parentElement.closest('details')) e.open = true;
    if (target.matches('.pane tr[data-s]')) showLine(target);
    target.scrollIntoView({ block: 'center' });
  };
  addEventListener('hashchange', showTarget);
  showTarget();

  // Heat by share of time, on and off.
  all('button.heat').forEach((b) => b.addEventListener('click', () => {
    const isOff = b.closest('details').querySelector('.panes').classList.toggle('heatless');
    b.setAttribute('aria-pressed', String(!isOff));
  }));

  // Keyboard: the next or last of what a letter stands for, seen from the top of the window.
  const step = (selector, by) => {
    const places = all(selector);
    const tops = places.map((e) => e.getBoundingClientRect().top);
    const at = by > 0 ? tops.findIndex((top) => top > 80) : tops.findLastIndex((top) => top < 20);
    if (at < 0) return;
    for (let e = places[at].closest('details'); e; e = e.parentElement.closest('details')) e.open = true;
    places[at].setAttribute('tabindex', '-1');
    places[at].focus({ preventScroll: true });
    places[at].scrollIntoView({ block: 'start' });
  };
  const keys = {
    j: () => step('.finding', 1), k: () => step('.finding', -1),
    n: () => step('.kernel', 1), p: () => step('.kernel', -1),
    o: () => document.getElementById('overview').scrollIntoView(),
    t: () => theme.click(),
    '/': () => filter?.focus(),
  };
  addEventListener('keydown', (event) => {
    const isField = event.target instanceof Element && event.target.matches('input, textarea');
    if (event.ctrlKey || event.metaKey || event.altKey || isField) return;
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
})();
