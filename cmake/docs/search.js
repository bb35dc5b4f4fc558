// Searches `entries`, each [words, title, address]; names that begin with the words come first.
const field = document.getElementById("search");
const list = document.getElementById("found");

function found(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const rank = (entry) => {
    const name = entry[0].toLowerCase();
    if (!words.every((word) => name.includes(word))) return -1;
    if (name === words[0]) return 3;
    return name.startsWith(words[0]) ? 2 : 1;
  };
  return entries.map((entry) => [rank(entry), entry]).filter((pair) => pair[0] > 0)
    .sort((a, b) => b[0] - a[0] || a[1][0].length - b[1][0].length).slice(0, 30);
}

field.addEventListener("input", () => {
  list.replaceChildren(...found(field.value).map(([, [name, title, address]]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = field.dataset.root + address;
    link.textContent = name + " ";
    const place = document.createElement("small");
    place.textContent = title;
    link.append(place);
    item.append(link);
    return item;
  }));
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && list.firstChild) list.querySelector("a").click();
});
