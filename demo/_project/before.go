// Package inventory keeps count of what a shop has in stock.
package inventory

import (
	"fmt"
	"sort"
	"sync"
)

// Item is one thing that is for sale.
type Item struct {
	SKU      string
	Name     string
	Quantity int
	Cents    int
}

// Inventory is the stock of one shop. It is safe for concurrent use.
type Inventory struct {
	mu    sync.Mutex
	items map[string]*Item
}

// New returns an empty inventory.
func New() *Inventory {
	return &Inventory{items: make(map[string]*Item)}
}

// Add puts an item on the shelf, or more of one that is there.
func (inv *Inventory) Add(item Item) {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	if have, ok := inv.items[item.SKU]; ok {
		have.Quantity += item.Quantity
	}
	inv.items[item.SKU] = &item
}

// Reserve takes n pieces of an item from the shelf.
func (inv *Inventory) Reserve(sku string, n int) error {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	item, ok := inv.items[sku]
	if !ok {
		return fmt.Errorf("no such item")
	}
	item.Quantity -= n
	return nil
}

// Value is what all pieces together cost, in cents.
func (inv *Inventory) Value() int {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	total := 0
	for _, item := range inv.items {
		total += item.Quantity * item.Cents
	}
	return total
}

// List returns the items in order of their names.
func (inv *Inventory) List() []Item {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	list := make([]Item, 0, len(inv.items))
	for _, item := range inv.items {
		list = append(list, *item)
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].Name < list[j].Name
	})
	return list
}

// price writes an amount in cents for a person.
func price(cents int) string {
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}

// Report is one line for each item.
func (inv *Inventory) Report() string {
	report := ""
	for _, item := range inv.List() {
		report += item.Name + "\t" + price(item.Cents) + "\n"
	}
	return report
}
